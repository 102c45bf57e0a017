-- Fails on every day that is served from both layers, or from the wrong one.
with settlements as (

    select day from {{ ref('stg_reconciliation__settlements') }}

),

served as (

    {% for fact in facts() %}
    select distinct '{{ fact }}' as fact, day, status = 'provisional' as is_provisional from {{ ref(fact) }}
    {% if not loop.last %}union all{% endif %}
    {% endfor %}

)

select served.fact, served.day, 'from both layers' as fault
from served
group by served.fact, served.day
having count(*) > 1
union all
select served.fact, served.day, 'from the wrong layer'
from served
left join settlements on served.day = settlements.day
where served.is_provisional = (settlements.day is not null)
