with windows as (

    select * from {{ ref('fct_order_totals') }}

),

daily as (

    select
        day,
        sum(orders) as orders,
        sum(items) as items,
        sum(revenue_cents) as revenue_cents,
        count(*) as windows,
        count_if(status = 'corrected') as corrected_windows,
        any(status = 'provisional') as is_provisional,
        every(is_final) as windows_are_final,
        max(as_of) as as_of
    from windows
    group by day

),

corrected as (

    {{ corrections_made('order_totals') }}

),

missing as (

    {{ records_missing('daily') }}

),

served as (

    select
        daily.*,
        coalesce(missing.records_missing, 0) as records_missing,
        daily.windows_are_final
        and (
            not daily.is_provisional
            or coalesce(clock.watermark >= cast(date_add(daily.day, 1) as timestamp), false)
        ) as is_final,
        case
            when daily.is_provisional then 'provisional'
            when corrected.revisions is null then 'settled'
            else 'corrected'
        end as status,
        if(daily.is_provisional, 0, coalesce(corrected.revisions, 0)) as revisions
    from daily
    left join corrected on daily.day = corrected.day
    left join missing on daily.day = missing.day
    cross join {{ ref('stg_speed__frontier') }} as clock

),

measured as (

    {{ with_expected_completeness('served', 'order_totals', closes='cast(date_add(day, 1) as timestamp)') }}

)

select
    day,
    orders,
    items,
    revenue_cents,
    windows,
    corrected_windows,
    records_missing,
    is_final,
    status,
    as_of,
    expected_completeness,
    revisions
from measured
