{#-
  Fails on every combination of `columns` that occurs more than once, or has a row in which a column of `present` is null. It is
  one query per model, because a query costs more than the rows that it reads.
-#}
{% test is_key(model, columns, present=[]) %}
select {{ columns | join(", ") }}, count(*) as times
from {{ model }}
group by {{ columns | join(", ") }}
having count(*) > 1
{%- for column in present %} or count({{ column }}) < count(*){% endfor %}
{% endtest %}
