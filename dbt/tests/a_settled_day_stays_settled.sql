-- Fails on every day that a build of gold has seen settled and that is served as provisional again.
{% set facts = ['fct_orders', 'fct_order_totals', 'fct_daily_orders'] %}

with settlements as (

    select * from {{ ref('rpt_settlements') }}

),

served as (

    {% for fact in facts %}
    select distinct '{{ fact }}' as fact, day from {{ ref(fact) }} where status = 'provisional'
    {% if not loop.last %}union all{% endif %}
    {% endfor %}

)

select served.*
from served
left semi join settlements on served.day = settlements.day
