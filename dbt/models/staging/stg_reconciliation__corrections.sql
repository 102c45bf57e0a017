with corrections as (

    select * from {{ source('reconciliation', 'corrections') }}

)

select
    day,
    view,
    key,
    get_json_object(key, '$.order_id') as order_id,
    try_cast(get_json_object(key, '$.window_start') as timestamp) as window_start,
    old,
    new,
    cause,
    run,
    revision,
    corrected_at,
    sequence
from corrections
