{#-
  As `broken_keys`, of the models of all topics in a layer: each is the rows of its topic in one table, which is read once.
-#}
{% macro broken_keys_of_topics(layer) %}
{%- set model = 'stg_' ~ layer ~ '__' -%}
{%- set first = graph.nodes['model.daybreak.' ~ model ~ (topics() | first | replace('.', '_') | replace('-', '_'))] if execute -%}
{%- set meta = first.config.meta if first else {'key': ['parsing']} %}
select concat('{{ model }}', translate(topic, '.-', '__')) as model, to_json(struct({{ meta.key | join(", ") }})) as key, count(*) as times
from {{ source(layer, 'events') }}
where {{ changed_days() }}
group by topic, {{ meta.key | join(", ") }}
having {{ is_broken(meta) }}
{% endmacro %}
