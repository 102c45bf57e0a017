{#- The events of a topic in `silver` or `truth`, with the payload's fields as columns. -#}
{% macro topic_events(layer, topic) %}
with events as (

    select * from {{ source(layer, 'events') }}

)

select
    event_id,
    event_type,
    event_time,
    {%- for field in topics()[topic] %}
    {{ topic }}.{{ field }} as {{ field }},
    {%- endfor %}
    arrival as arrived_at,
    {%- if layer == 'silver' %}
    late_by_ms > 0 as is_late,
    {%- endif %}
    day
from events
where topic = '{{ topic }}'
{% endmacro %}
