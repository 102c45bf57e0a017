{#-
  Tests a history in one query, because its versions take most of a test's time. Fails on

  - every version that ends before it begins, overlaps another version of its row, or has an unknown status or one that the row had
    already left. The order is provisional, settled, corrected; only a withdrawn settlement makes a day provisional again.
  - every row of `fact` that is not the version valid when the fact was built, and every such version without a row. The stream
    continues after the build, so versions later than the fact's latest are left out; so are days whose truth a night is recomputing.
    On a withdrawn day, versions that the stream wrote before the withdrawal are valid from the withdrawal on.
-#}
{% test is_true_history(model, fact, key, columns) %}
{%- set row = (['day'] + key) | join(", ") -%}
{%- set compared = (['day'] + columns + ['status', 'revisions']) | join(", ") -%}
{%- set rank = "array_position(array('provisional', 'settled', 'corrected'), status)" -%}
{%- set before = "over (partition by " ~ row ~ " order by valid_from, valid_to asc nulls last)" -%}
with days as (

    select
        day,
        any(is_settled) as is_settled,
        any(is_being_redone) as is_being_redone,
        collect_set(withdrawn_at) as withdrawals,
        max(withdrawn_at) as withdrawn_at
    from (
        select day, true as is_settled, false as is_being_redone, null as withdrawn_at
        from {{ ref('stg_reconciliation__settlements') }}
        union all
        select day, false, true, null from {{ ref('stg_reconciliation__days_being_redone') }}
        union all
        select day, false, false, withdrawn_at from {{ ref('rpt_settlements') }}
    )
    group by day

),

versions as (

    select
        history.*,
        {{ rank }} as status_rank,
        lag(valid_to, 1, valid_from) {{ before }} as ended_before,
        lag({{ rank }}, 1, 0) {{ before }} as left_rank,
        -- The stream removed the row: no version follows at once.
        status = 'provisional' and valid_to is not null and not lead(valid_from) {{ before }} <=> valid_to as is_removed
    from {{ model }} as history
    where {{ changed_days() }}

),

-- Both sides are counted against each other in one pass; two `except all` would read them twice.
sides as (

    select
        {{ compared }}, true as is_served, as_of,
        null as valid_from, null as valid_to, null as status_rank, null as ended_before, null as left_rank, false as is_removed
    from {{ fact }}
    where {{ changed_days() }}
    union all
    select {{ compared }}, false, null, valid_from, valid_to, status_rank, ended_before, left_rank, is_removed
    from versions

),

dated as (

    select
        sides.*,
        days.withdrawn_at,
        coalesce(status = 'provisional' and array_contains(days.withdrawals, valid_from), false) as is_withdrawal,
        coalesce((status = 'provisional') <> coalesce(days.is_settled, false) and not days.is_being_redone <=> true, false) as is_compared
    from sides
    left join days on sides.day = days.day

),

built as (

    select
        *,
        max(if(is_served and is_compared and status = 'provisional', as_of, null)) over () as fact_said_at,
        max(if(is_served and is_compared and status <> 'provisional', as_of, null)) over () as fact_settled_at
    from dated

),

-- If the fact has no row of a layer, none of its versions is valid.
valid as (

    select
        *,
        if(
            status = 'provisional',
            if(fact_said_at is not null, greatest(fact_said_at, withdrawn_at), null),
            fact_settled_at
        ) as built_at
    from built

),

tested as (

    select
        {{ compared }},
        valid_from,
        -- A removal behind the fact's latest row: the fact was built before it, or after it, and may have the row or not.
        is_compared and is_removed and valid_from <= built_at and valid_to > built_at as may_be_served,
        case
            when not is_compared then 0
            when is_served then 1
            when is_removed and valid_to > built_at then 0
            when valid_from <= built_at and (valid_to is null or valid_to > built_at) then -1
            else 0
        end as side,
        case
            when is_served then null
            when valid_from is null or valid_to <= valid_from then 'ends before it begins'
            when ended_before is null or ended_before > valid_from then 'valid beside another version'
            when coalesce(status_rank, 0) = 0 then 'no such status'
            when status_rank < left_rank and not is_withdrawal then 'the status was left before'
            when (status = 'corrected') <> (revisions > 0) then 'corrected is what has corrections'
        end as fault
    from valid

),

faulty as (

    select
        {{ compared }},
        coalesce(max(fault), if(sum(side) > 0, 'served, and no valid version', 'valid, and not served')) as fault,
        max(valid_from) as valid_from
    from tested
    group by {{ compared }}
    having sum(side) <> if(any(may_be_served), max(side), 0) or count(fault) > 0

)

-- Only here: in the aggregation every row would be written as JSON.
select fault, to_json(struct({{ compared }})) as detail, valid_from
from faulty
{% endtest %}
