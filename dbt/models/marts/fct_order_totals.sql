with coverage as (

    select * from {{ ref('stg_reconciliation__coverage') }}

),

truth as (

    select * from {{ ref('stg_truth__order_totals') }}

),

speed as (

    select * from {{ ref('stg_speed__order_totals') }}

),

corrected as (

    select distinct day, window_start
    from {{ ref('stg_reconciliation__corrections') }}
    where view = 'order_totals'

),

settled as (

    select
        truth.*,
        coverage.settled_at as as_of,
        if(corrected.window_start is null, 'settled', 'corrected') as status
    from truth
    inner join coverage on truth.day = coverage.day
    left join corrected on truth.day = corrected.day and truth.window_start = corrected.window_start

),

provisional as (

    select
        speed.*,
        'provisional' as status
    from speed
    left anti join coverage on speed.day = coverage.day

)

select window_start, window_end, day, orders, items, revenue_cents, status, as_of from settled
union all
select window_start, window_end, day, orders, items, revenue_cents, status, as_of from provisional
