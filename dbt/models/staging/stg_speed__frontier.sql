with progress as (

    select * from {{ source('speed', 'progress') }}

)

select
    max(aligned_event_time) as frontier,
    max(aligned_event_time) - make_dt_interval(0, 0, 0, {{ env_var('DAYBREAK_WATERMARK_DELAY_SECONDS') }}) as watermark
from progress
