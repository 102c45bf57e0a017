{#-
  Fails on every version of a history that ends before it begins, is valid beside another one of its row, or has a status
  that there is not or that the row had already left: provisional, settled, corrected is the only way.
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

)

select
    *,
    case
        when valid_from is null or valid_to <= valid_from then 'ends before it begins'
        when ended_before is null or ended_before > valid_from then 'valid beside another version'
        when coalesce(rank, 0) = 0 then 'no such status'
        when rank < rank_before then 'the status was left before'
        else 'corrected is what has corrections'
    end as fault
from versions
where
    valid_from is null
    or valid_to <= valid_from
    or ended_before is null
    or ended_before > valid_from
    or coalesce(rank, 0) = 0
    or rank < rank_before
    or (status = 'corrected') <> (revisions > 0)
{% endtest %}
