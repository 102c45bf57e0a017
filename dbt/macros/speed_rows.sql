{#- A view's current answers in the stream, in the columns that gold has. -#}
{% macro speed_rows(view) %}
with latest as (

    {{ latest_answers(view) }}

)

select
    {{ served_columns(view) }},
    is_final,
    as_of,
    day
from latest
{% endmacro %}
