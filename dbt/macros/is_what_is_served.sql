{#-
  Compares a fact with its history: fails on every row of `fact` (where `of` holds) that is not the history's version valid when the
  fact was built, and on every such version without a row. The stream continues after the build, so versions later than the fact's
  latest are left out; so are days whose truth a night is recomputing. On a withdrawn day, versions that the stream wrote before the
  withdrawal are valid from the withdrawal on.
-#}
{% test is_what_is_served(model, fact, columns, of='true') %}
{%- set compared = (['day'] + columns + ['status', 'revisions']) | join(", ") -%}
with settlements as (

    select * from {{ ref('stg_reconciliation__settlements') }}

),

served as (

    select facts.*
    from {{ fact }} as facts
    left join settlements on facts.day = settlements.day
    where
        {{ of }}
        and {{ changed_days('facts.day') }}
        and (facts.status = 'provisional') = (settlements.day is null)
        and not coalesce(settlements.is_being_redone, false)

),

latest as (

    select
        status = 'provisional' as is_provisional,
        max(as_of) as as_of
    from served
    group by status = 'provisional'

),

withdrawn as (

    select
        day,
        max(withdrawn_at) as withdrawn_at
    from {{ ref('rpt_settlements') }}
    group by day

),

valid as (

    select versions.*
    from {{ model }} as versions
    inner join latest on latest.is_provisional = (versions.status = 'provisional')
    left join settlements on versions.day = settlements.day
    left join withdrawn on versions.day = withdrawn.day and latest.is_provisional
    where
        {{ changed_days('versions.day') }}
        and versions.valid_from <= greatest(latest.as_of, withdrawn.withdrawn_at)
        and (versions.valid_to is null or versions.valid_to > greatest(latest.as_of, withdrawn.withdrawn_at))
        and latest.is_provisional = (settlements.day is null)
        and not coalesce(settlements.is_being_redone, false)

)

-- Both sides are counted against each other in one pass; two `except all` would read them twice.
select
    if(sum(side) > 0, 'served, and no valid version', 'valid, and not served') as fault,
    to_json(struct({{ compared }})) as detail
from (
    select {{ compared }}, 1 as side from served
    union all
    select {{ compared }}, -1 from valid
)
group by {{ compared }}
having sum(side) <> 0
{% endtest %}
