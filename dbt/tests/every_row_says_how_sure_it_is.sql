-- Fails on every row of a fact whose expected_completeness or revisions contradict its status: expected_completeness must be 1 for
-- settled rows and below 1 for provisional ones; revisions must be above 0 for corrected rows and 0 for all others.
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
