{#-
  The events of a topic in `silver` or `truth`, with the payload's fields as columns, and defaults where an event lacks one. `column`
  has the payload, where the topic's own name is no name of a column.
-#}
{% macro topic_events(layer, topic, column=none) %}
{%- set payload = column or topic -%}
{%- set defaults = topic_defaults().get(topic, {}) -%}
with events as (

    select * from {{ source(layer, 'events') }}

)

select
    event_id,
    event_type,
    event_time,
    {%- for field in topics()[topic] %}
    {%- if field in defaults %}
    coalesce({{ payload }}.{{ field }}, {{ defaults[field] }}) as {{ field }},
    {%- else %}
    {{ payload }}.{{ field }} as {{ field }},
    {%- endif %}
    {%- endfor %}
    arrival as arrived_at,
    `partition`,
    `offset`,
    {%- if layer == 'silver' %}
    late_by_ms > 0 as is_late,
    {%- endif %}
    day
from events
where topic = '{{ topic }}'
{% endmacro %}
