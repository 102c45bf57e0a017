{#- Fails on every combination of `columns` that occurs more than once. -#}
{% test is_unique_together(model, columns) %}
select {{ columns | join(", ") }}, count(*) as times
from {{ model }}
group by {{ columns | join(", ") }}
having count(*) > 1
{% endtest %}
