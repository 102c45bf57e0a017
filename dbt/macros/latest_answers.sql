{#-
  The stream's current answers, one row per day and key, from a speed table, which is the log of all it ever said.
  Only the latest generation counts of which a micro-batch is done: a rebuild starts a new one, and ids sort by their start. What
  it said again before that is its answer since its first micro-batch.
  The view's preference comes before the micro-batch: of several matches of a join, the first is the answer.
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
        ) as place
    from {{ source('speed', view) }} as speed
    inner join newest on speed.generation = newest.generation

)

select * except (place)
from ranked
where place = 1
{% endmacro %}
