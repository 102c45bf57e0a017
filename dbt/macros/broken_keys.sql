{#-
  Every value of a model's key (`meta.key` in its YAML) that occurs more than once, or has a row in which a column of
  `meta.present` is null. One query tests all models, because a query costs more than the rows that it reads. Days that have not
  changed since their last test are not read.
-#}
{% macro broken_keys(models) %}
{%- for name in models %}
{%- set relation = ref(name) %}
{%- set meta = graph.nodes['model.daybreak.' ~ name].config.meta if execute else {'key': ['parsing']} %}
select '{{ name }}' as model, to_json(struct({{ meta.key | join(", ") }})) as key, times
from (
    select {{ meta.key | join(", ") }}, count(*) as times
    from {{ relation }}
{%- if execute and 'day' in graph.nodes['model.daybreak.' ~ name].columns and not name.startswith('stg_reconciliation') %}
    where {{ changed_days() }}
{%- endif %}
    group by {{ meta.key | join(", ") }}
    having {{ is_broken(meta) }}
)
{% if not loop.last %}union all{% endif %}
{%- endfor %}
{% endmacro %}
