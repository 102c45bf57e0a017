-- Fails on every row with an unknown status or payment_status.
{% set facts = facts() %}

{% for fact in facts %}
select '{{ fact }}' as fact, day, status
from {{ ref(fact) }}
where status not in ('provisional', 'settled', 'corrected')
union all
{% endfor %}
select 'payment_status', day, payment_status
from {{ ref('fct_orders') }}
where
    payment_status not in ('paid', 'unpaid', 'open', 'pending')
    or (status <> 'provisional' and payment_status not in ('paid', 'unpaid'))
