{#- Every version of a view's rows, with the time span in which it was the answer; see the macro `versions`. -#}
{% macro history(view) %}
with versions as (

    {{ versions(view) }}

)

select
    {{ served_columns(view, within='answer') }},
    day,
    is_final,
    status,
    revision,
    revisions,
    cause,
    valid_from,
    valid_to
from versions
{% endmacro %}
