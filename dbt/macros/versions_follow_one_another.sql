{#-
  Fails on every version of a history that ends before it begins, overlaps another version of its row, or has an unknown status or
  one that the row had already left. The order is provisional, settled, corrected; only a withdrawn settlement makes a day provisional
  again.
-#}
{% test versions_follow_one_another(model, key) %}
{%- set row = (['day'] + key) | join(", ") -%}
{%- set rank = "array_position(array('provisional', 'settled', 'corrected'), status)" -%}
with versions as (

    select
        {{ row }},
        status,
        revisions,
        valid_from,
        valid_to,
        {{ rank }} as rank,
        lag(valid_to, 1, valid_from) over (partition by {{ row }} order by valid_from, valid_to asc nulls last) as ended_before,
        lag({{ rank }}, 1, 0) over (partition by {{ row }} order by valid_from, valid_to asc nulls last) as rank_before
    from {{ model }}
    where {{ changed_days() }}

),

withdrawn as (

    select
        day,
        withdrawn_at as valid_from,
        'provisional' as status
    from {{ ref('rpt_settlements') }}
    where withdrawn_at is not null

),

faulty as (

    select
        versions.*,
        rank < rank_before and withdrawn.day is null as left_before
    from versions
    left join withdrawn using (day, valid_from, status)

)

select
    *,
    case
        when valid_from is null or valid_to <= valid_from then 'ends before it begins'
        when ended_before is null or ended_before > valid_from then 'valid beside another version'
        when coalesce(rank, 0) = 0 then 'no such status'
        when left_before then 'the status was left before'
        else 'corrected is what has corrections'
    end as fault
from faulty
where
    valid_from is null
    or valid_to <= valid_from
    or ended_before is null
    or ended_before > valid_from
    or coalesce(rank, 0) = 0
    or left_before
    or (status = 'corrected') <> (revisions > 0)
{% endtest %}
