{#-
  The stream's current answers, one row per day and key, from a speed table, which is the append-only log of all its answers.
  A rebuild of the stream starts a new generation, and the ids of generations sort by their start. Only the latest generation with a
  finished micro-batch counts. Rows that it wrote before its first micro-batch get the time of that micro-batch as `as_of`.
  A row that ceased to exist is written once more, as removed.
  The view's preference comes before the age of a row: if a join has several matches, the preferred one is the answer.
-#}
{% macro latest_answers(view) %}
with generations as (

    select
        generation,
        min(as_of) as started_at
    from {{ source('speed', 'progress') }}
    group by generation

),

newest as (

    select
        max(generation) as generation,
        max_by(started_at, generation) as started_at
    from generations

),

ranked as (

    select
        speed.* except (as_of),
        greatest(speed.as_of, newest.started_at) as as_of,
        row_number() over (
            partition by speed.day, {% for column in views()[view].key %}speed.{{ column }}{% if not loop.last %}, {% endif %}{% endfor %}
            order by {{ preferred(view) }}speed.as_of desc, speed.batch_id desc
        ) as _place
    from {{ source('speed', view) }} as speed
    inner join newest on speed.generation = newest.generation

)

select * except (_place, is_removed)
from ranked
where _place = 1 and not is_removed
{% endmacro %}
