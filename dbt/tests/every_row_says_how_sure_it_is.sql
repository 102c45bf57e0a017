-- Fails on every row of a fact that is not as sure as its status says: 1 is expected of settled rows, and of no provisional
-- one; corrections have been made of corrected rows, and of no others.
{% set facts = facts() %}

with served as (

    {% for fact in facts %}
    select '{{ fact }}' as fact, day, status, as_of, expected_completeness, revisions from {{ ref(fact) }}
    {% if not loop.last %}union all{% endif %}
    {% endfor %}

)

select *
from served
where
    as_of is null
    or expected_completeness < 0
    or expected_completeness > 1
    or (status = 'provisional' and expected_completeness = 1)
    or (status <> 'provisional' and not expected_completeness <=> 1)
    or revisions < 0
    or (status = 'corrected') <> (revisions > 0)
