-- Fails on every day that is served as provisional although its last settlement was not withdrawn.
{% set facts = facts() %}

with settled as (

    select day
    from {{ ref('rpt_settlements') }}
    group by day
    having max_by(withdrawn_at, revision) is null

),

served as (

    {% for fact in facts %}
    select distinct '{{ fact }}' as fact, day from {{ ref(fact) }} where status = 'provisional'
    {% if not loop.last %}union all{% endif %}
    {% endfor %}

)

select served.*
from served
left semi join settled on served.day = settled.day
