with progress as (

    select * from {{ source('speed', 'progress') }}

),

-- Silver's commits below this version had been read; -1 while a view reads all of silver again.
read_to as (

    select
        query as view,
        max_by(silver_version, struct(lineage, batch_id)) as silver_version
    from progress
    where query <> 'ingest'
    group by query

),

ingested as (

    select
        try_element_at(versions, 'silver/events') as silver_version,
        max_event_time
    from progress
    where query = 'ingest'

)

select
    read_to.view,
    max(ingested.max_event_time) as frontier
from read_to
left join ingested on ingested.silver_version < read_to.silver_version
group by read_to.view
