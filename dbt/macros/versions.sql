{#-
  Every version of every row of a view that was ever the answer: `day`, the key, `answer` (a struct of `values`), `is_final`,
  `status`, `revision` (the settlement that made the version; null: the stream), `revisions` (corrections so far), `cause` of the
  correction, `valid_from`, `valid_to` (null: valid now).

  While a day is not settled, its rows are the stream's, each from its micro-batch's `as_of` on: the preferred one, else the latest (as
  in latest_answers), until the stream starts a new generation. While a day is settled, its rows are the settled ones, and change with
  each correction. A row that no settlement corrected has been the truth since the first settlement. A row that only a later
  settlement corrected had the correction's `old` value until then. After a withdrawal the stream's rows are valid until the next
  settlement.

  Always filter on `day`: the filter is pushed down to the tables.
-#}
{% macro versions(view) %}
{%- set types = views()[view].columns -%}
{%- set key = views()[view].key -%}
{%- set values = types | reject("in", key) | list -%}
{%- set keys = (['day'] + key) | join(", ") -%}
{%- set key_types = column_types(view, key) -%}
{%- set value_types = column_types(view, values) -%}
{%- set answer = "struct(" ~ (values | join(", ")) ~ ")" -%}
with generations as (

    select
        generation,
        min(as_of) as started_at,
        lead(min(as_of)) over (order by generation) as ended_at
    from {{ source('speed', 'progress') }}
    group by generation

),

settlements as (

    select * from {{ ref('rpt_settlements') }}

),

first_settled as (

    select
        day,
        min(revision) as revision,
        min_by(settled_at, revision) as settled_at,
        max_by(withdrawn_at, revision) is not null as is_withdrawn
    from settlements
    group by day

),

unsettled as (

    {{ times_of_the_stream() }}

),

ranked as (

    select
        speed.* except (as_of),
        speed.as_of as written_at,
        greatest(speed.as_of, generations.started_at) as as_of,
        generations.ended_at,
        row_number() over (
            partition by {% for column in ['day'] + key %}speed.{{ column }}, {% endfor %}speed.generation
            order by {{ preferred(view) }}speed.as_of desc, speed.batch_id desc
        ) as place
    from {{ source('speed', view) }} as speed
    inner join generations on speed.generation = generations.generation

),

-- A row became the answer when it was written, if it ranked before all earlier rows of its key.
answers as (

    select
        *,
        min(place) over (partition by {{ keys }}, generation order by written_at, batch_id) as best
    from ranked

),

by_stream as (

    select
        {{ keys }},
        -- A row that was removed ends its last version and begins no new one.
        if(is_removed, null, {{ answer }}) as answer,
        is_final,
        as_of as valid_from,
        least(lead(as_of) over (partition by {{ keys }}, generation order by written_at, batch_id), ended_at) as valid_to
    from answers
    where place = best

),

corrections as (

    select
        corrections.day,
        {% for column in key %}from_json(corrections.key, '{{ key_types }}').{{ column }} as {{ column }},{% endfor %}
        from_json(corrections.old, '{{ value_types }}') as before,
        from_json(corrections.new, '{{ value_types }}') as answer,
        corrections.cause,
        corrections.revision,
        settlements.settled_at as valid_from
    from {{ ref('stg_reconciliation__corrections') }} as corrections
    inner join settlements
        on corrections.day = settlements.day and corrections.revision = settlements.revision
    where corrections.view = '{{ view }}'

),

corrected as (

    select
        *,
        row_number() over (partition by {{ keys }} order by revision) as revisions
    from corrections

),

-- The truth table of a withdrawn day is not approved yet. There, a row that no settlement corrected had been settled with the
-- stream's value, so it is taken from the stream.
uncorrected as (

    select {{ keys }}, {{ answer }} as answer
    from {{ source('truth', view) }}
    left anti join (select day from first_settled where is_withdrawn) using (day)
    union all
    select {{ keys }}, answer
    from by_stream
    inner join (select day from first_settled where is_withdrawn) using (day)
    where valid_to is null and answer is not null

),

settled as (

    select
        {{ keys }},
        answer,
        first_settled.revision,
        0 as revisions,
        cast(null as string) as cause,
        first_settled.settled_at as valid_from
    from uncorrected
    inner join first_settled using (day)
    left anti join corrected using ({{ keys }})
    union all
    select
        {{ keys }},
        corrected.before,
        first_settled.revision,
        0,
        null,
        first_settled.settled_at
    from corrected
    inner join first_settled using (day)
    where corrected.revisions = 1 and corrected.revision > first_settled.revision
    union all
    select
        {{ keys }},
        answer,
        revision,
        revisions,
        cause,
        valid_from
    from corrected

),

by_night as (

    select
        *,
        lead(valid_from) over (partition by {{ keys }} order by revision) as valid_to
    from settled

),

found as (

    select
        {{ keys }},
        answer,
        is_final,
        'provisional' as status,
        cast(null as int) as revision,
        0 as revisions,
        cast(null as string) as cause,
        greatest(valid_from, unsettled.opened_at) as valid_from,
        least(valid_to, unsettled.closed_at) as valid_to
    from by_stream
    left join unsettled using (day)
    where answer is not null
    union all
    select
        {{ keys }},
        answer,
        true,
        if(revisions = 0, 'settled', 'corrected'),
        greatest(by_night.revision, unsettled.revision),
        revisions,
        cause,
        greatest(valid_from, unsettled.closed_at),
        least(valid_to, unsettled.reopened_at)
    from by_night
    inner join unsettled using (day)
    -- A correction that removes a row ends its last version and begins no new one.
    where unsettled.revision is not null and answer is not null
)

select *
from found
where valid_to is null or valid_from < valid_to
{% endmacro %}
