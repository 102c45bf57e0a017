{#-
  Fails on every combination of `columns` that occurs more than once, and on those with a row in which a column of `present`
  is null. One query per model: a query costs more than what it reads.
-#}
{% test is_key(model, columns, present=[]) %}
select {{ columns | join(", ") }}, count(*) as times
from {{ model }}
group by {{ columns | join(", ") }}
having count(*) > 1
{%- for column in present %} or count({{ column }}) < count(*){% endfor %}
{% endtest %}
