-- Fails on every settled day that a gap of the log may concern but whose records_missing is 0, and on every settled day that
-- no gap concerns but whose records_missing is not 0.
with settlements as (

    select day from {{ ref('stg_reconciliation__settlements') }}

),

touched as (

    select distinct settlements.day
    from settlements
    inner join {{ ref('stg_archive__gaps') }} as gaps
        on settlements.day >= gaps.from_day and settlements.day <= gaps.to_day

),

told as (

    select 'rpt_reconciliation' as model, day, records_missing from {{ ref('rpt_reconciliation') }}
    {%- for model in own_models_of_gaps() %}
    union all
    select '{{ model }}', day, records_missing from {{ ref(model) }}
    {%- endfor %}

)

select told.model, told.day, told.records_missing
from told
inner join settlements on told.day = settlements.day
left join touched on told.day = touched.day
where (told.records_missing > 0) <> (touched.day is not null)
