{{
    config(
        materialized='incremental',
        incremental_strategy='append',
        full_refresh=false
    )
}}

-- Coverage has a day's last settlement; here they are all kept. One that came and went between two builds is known by what
-- it corrected, moments before it settled the day.
with coverage as (

    select * from {{ ref('stg_reconciliation__coverage') }}

),

corrections as (

    select * from {{ ref('stg_reconciliation__corrections') }}

),

settlements as (

    select
        day,
        revision,
        run,
        settled_at
    from coverage
    union all
    select
        corrections.day,
        corrections.revision,
        max_by(corrections.run, corrections.corrected_at) as run,
        max(corrections.corrected_at) as settled_at
    from corrections
    inner join coverage on corrections.day = coverage.day and corrections.revision < coverage.revision
    group by corrections.day, corrections.revision

)

select
    settlements.day,
    settlements.revision,
    settlements.run,
    settlements.settled_at
from settlements
{% if is_incremental() %}
left anti join {{ this }} as known on settlements.day = known.day and settlements.revision = known.revision
{% endif %}
