with settlements as (

    select * from {{ ref('stg_reconciliation__settlements') }}

),

truth as (

    select * from {{ ref('stg_truth__order_totals') }}

),

speed as (

    select * from {{ ref('stg_speed__order_totals') }}

),

corrected as (

    {{ corrections_made('order_totals', ['window_start']) }}

),

settled as (

    select
        truth.*,
        true as is_final,
        settlements.settled_at as as_of,
        if(corrected.revisions is null, 'settled', 'corrected') as status,
        coalesce(corrected.revisions, 0) as revisions
    from truth
    inner join settlements on truth.day = settlements.day
    left join corrected on truth.day = corrected.day and truth.window_start = corrected.window_start

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

    select window_start, window_end, day, orders, items, revenue_cents, is_final, status, as_of, revisions from settled
    union all
    select window_start, window_end, day, orders, items, revenue_cents, is_final, status, as_of, revisions from provisional

),

measured as (

    {{ with_expected_completeness('served', 'order_totals', closes='served.window_end') }}

)

select
    window_start,
    window_end,
    day,
    orders,
    items,
    revenue_cents,
    is_final,
    status,
    as_of,
    expected_completeness,
    revisions
from measured
