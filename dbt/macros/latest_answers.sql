{#-
  The stream's current answers, one row per day and key, from a speed table, which is the log of all it ever said.
  Only the latest lineage counts: a rebuild starts a new one, and ids sort by their start.
  `preferred` comes before the micro-batch: of several matches of a join, the first is the answer.
-#}
{% macro latest_answers(view, key, preferred=[]) %}
with answers as (

    select *
    from {{ source('speed', view) }}
    where lineage = (select max(lineage) from {{ source('speed', 'progress') }} where query = '{{ view }}')

),

ranked as (

    select
        *,
        row_number() over (
            partition by day, {{ key | join(", ") }}
            order by {% for by in preferred %}{{ by }}, {% endfor %}as_of desc, batch_id desc
        ) as place
    from answers

)

select * except (place)
from ranked
where place = 1
{% endmacro %}
