{#-
  The rows of a view that gold serves: the truth on settled days, and the stream's current answer on the others. Every build but the
  first replaces only the days that may have changed.
-#}
{% macro fact(view) %}
{%- set own = views()[view] -%}
{%- set columns = own.columns | join(", ") -%}
{%- set days = changed_days() if is_incremental() else "true" -%}
with settlements as (

    select * from {{ ref('stg_reconciliation__settlements') }}

),

truth as (

    select *, {{ own.closes }} as closes_at from {{ ref('stg_truth__' ~ view) }} where {{ days }}

),

speed as (

    select * from {{ ref('stg_speed__' ~ view) }} where {{ days }}

),

corrected as (

    {{ corrections_made(view, own.key) }}

),

settled as (

    select
        truth.*,
        not coalesce(truth.closes_at >= settlements.horizon, false) as is_final,
        if(corrected.revisions is null, 'settled', 'corrected') as status,
        settlements.settled_at as as_of,
        coalesce(corrected.revisions, 0) as revisions
    from truth
    inner join settlements on truth.day = settlements.day
    left join corrected
        on truth.day = corrected.day{% for column in own.key %} and truth.{{ column }} = corrected.{{ column }}{% endfor %}

),

provisional as (

    select
        speed.*,
        'provisional' as status,
        0 as revisions
    from speed
    left anti join settlements on speed.day = settlements.day

),

served as (

    select
        {{ served_columns(view) }},
        day, is_final, status, as_of, revisions
    from settled
    union all
    select {{ columns }}, day, is_final, status, as_of, revisions from provisional

),

measured as (

    {{ with_expected_completeness('served', view, closes=own.closes) }}

)

select
    {{ own.columns | join(",\n    ") }},
    day,
    is_final,
    status,
    as_of,
    expected_completeness,
    revisions
from measured
{% endmacro %}
