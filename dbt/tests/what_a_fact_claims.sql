-- Fails, with the claim as `fault`, on every key of a fact for which one of these does not hold:
-- a_settled_day_equals_truth: on a settled day gold and the truth have the same rows, and so have fct_orders and
-- fct_order_payments.
-- keys_of_gold, keys_of_truth: the key occurs once, and no required column is null.
-- no_day_is_counted_twice: a settled day is served from the truth only, any other day from the stream only.
-- a_settled_day_stays_settled: a day is provisional only if it was never settled, or its last settlement was withdrawn.
-- every_row_says_how_sure_it_is: expected_completeness is 1 for settled rows and below 1 for provisional ones; revisions are
-- above 0 for corrected rows and 0 for all others.
-- only_known_values: status and payment_status are known ones.
-- Tests the days that may have changed since the last build: what another day's rows claim was tested when they were written.
with settlements as (

    select day, true as is_settled from {{ ref('stg_reconciliation__settlements') }}

),

past as (

    select day, max_by(withdrawn_at, revision) is null as stays_settled
    from {{ ref('rpt_settlements') }}
    group by day

),

claimed as (

    {{ claimed_rows() }}

),

faulty as (

    select
        claimed.fact,
        claimed.day,
        claimed.key,
        claimed.answer,
        claimed.is_served,
        -- Rows that must have an equal on the other side: all that are settled. fct_orders is compared with settled rows only.
        case
            when not claimed.is_compared then 0
            when claimed.is_served then if(claimed.status <> 'provisional', 1, 0)
            when claimed.fact = 'fct_orders' or settlements.is_settled then -1
            else 0
        end as side,
        claimed.lacks_a_column,
        not claimed.is_known
        or not coalesce(claimed.status in ('provisional', 'settled', 'corrected'), not claimed.is_served) as is_unknown,
        claimed.is_served and (claimed.status = 'provisional') = coalesce(settlements.is_settled, false) as is_of_the_wrong_layer,
        coalesce(claimed.status = 'provisional' and past.stays_settled, false) as has_lost_its_settlement,
        claimed.is_served and (
            claimed.as_of is null
            or claimed.expected_completeness < 0
            or claimed.expected_completeness > 1
            or (claimed.status = 'provisional' and claimed.expected_completeness = 1)
            or (claimed.status <> 'provisional' and not claimed.expected_completeness <=> 1)
            or claimed.revisions < 0
            or (claimed.status = 'corrected') <> (claimed.revisions > 0)
        ) as is_wrongly_sure
    from claimed
    left join settlements on claimed.day = settlements.day
    left join past on claimed.day = past.day

),

answers as (

    select
        fact,
        day,
        key,
        sum(side) as surplus,
        count_if(is_served) as times_served,
        count_if(not is_served) as times_told,
        count_if(is_served and lacks_a_column) as served_lacking,
        count_if(not is_served and lacks_a_column) as told_lacking,
        count_if(is_unknown) as unknown,
        count_if(is_of_the_wrong_layer) as of_the_wrong_layer,
        count_if(has_lost_its_settlement) as lost,
        count_if(is_wrongly_sure) as wrongly_sure
    from faulty
    group by fact, day, key, answer

),

keys as (

    select
        fact,
        day,
        key,
        array_compact(array(
            if(count_if(surplus <> 0) > 0, 'a_settled_day_equals_truth', null),
            if(sum(times_served) > 1 or sum(served_lacking) > 0, 'keys_of_gold', null),
            if(sum(times_told) > 1 or sum(told_lacking) > 0, 'keys_of_truth', null),
            if(sum(of_the_wrong_layer) > 0, 'no_day_is_counted_twice', null),
            if(sum(lost) > 0, 'a_settled_day_stays_settled', null),
            if(sum(wrongly_sure) > 0, 'every_row_says_how_sure_it_is', null),
            if(sum(unknown) > 0, 'only_known_values', null)
        )) as faults
    from answers
    group by fact, day, key

)

select fact, day, key, explode(faults) as fault
from keys
