{#- A view's rows of whole days, recomputed by the night. -#}
{% macro truth_rows(view) %}
with truth as (

    select * from {{ source('truth', view) }}

)

select
    {{ views()[view].columns | join(",\n    ") }},
    day
from truth
{% endmacro %}
