{#-
  The accepted changes of a captured table (option shop-db), with the row's columns; of a deletion the key's alone. `events` is silver's
  table of events, and the row is in the column that is named after the topic. The larger of two ids is the later change: an id begins
  with the change's position in the database's log.
-#}
{% macro captured_changes(events, table, fields) %}
with events as (

    select * from {{ events }}

)

select
    event_id,
    event_type,
    event_time,
    {%- for field in fields %}
    shop_public_{{ table }}.{{ field }} as {{ field }},
    {%- endfor %}
    arrival as arrived_at,
    day
from events
where topic = 'shop.public.{{ table }}'
{% endmacro %}
