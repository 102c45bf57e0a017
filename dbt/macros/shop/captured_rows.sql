{#- The newest row of each key of a captured table's changes; a key whose last change is of the type `gone` has none. -#}
{% macro captured_rows(changes, key, gone, fields) %}
with changes as (

    select * from {{ changes }}

),

newest as (

    select max_by(struct(*), event_id) as change
    from changes
    group by {{ key | join(', ') }}

)

select
    {%- for field in fields %}
    change.{{ field }} as {{ field }},
    {%- endfor %}
    change.event_time as last_changed_at
from newest
where change.event_type <> '{{ gone }}'
{% endmacro %}
