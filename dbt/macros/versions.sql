{#-
  Every version of every row of a view that was ever the answer: `day`, the key, `answer` (a struct of `values`), `is_final`,
  `status`, `revision` (the settlement that made the version; null: the stream), `revisions` (corrections so far), `cause` of the
  correction, `valid_from`, `valid_to` (null: valid now).

  While a day is not settled, its rows are the stream's, each from its micro-batch's `as_of` on: the preferred one, else the latest (as
  in latest_answers), until the stream starts a new generation. While a day is settled, its rows are the settled ones, and change with
  each correction. A row that no settlement corrected has been the truth since the first settlement. A row that only a later
  settlement corrected had the correction's `old` value until then. After a withdrawal the stream's rows are valid until the next
  settlement.

  Every table is read once, because planning costs more than the rows. Always filter on `day`: the filter is pushed down to the tables.
-#}
{% macro versions(view) %}
{%- set types = views()[view].columns -%}
{%- set key = views()[view].key -%}
{%- set values = types | reject("in", key) | list -%}
{%- set keys = (['day'] + key) | join(", ") -%}
{%- set key_types = column_types(view, key) -%}
{%- set value_types = column_types(view, values) -%}
{%- set answer = "struct(" ~ (values | join(", ")) ~ ")" -%}
{%- set by_revision = "over (partition by " ~ keys ~ " order by revision asc nulls first)" -%}
with generations as (

    select
        generation,
        min(as_of) as started_at,
        lead(min(as_of)) over (order by generation) as _ended_at
    from {{ source('speed', 'progress') }}
    group by generation

),

settled_days as (

    {{ settled_days() }}

),

ranked as (

    select
        speed.* except (as_of),
        speed.as_of as _written_at,
        greatest(speed.as_of, generations.started_at) as as_of,
        generations._ended_at,
        row_number() over (
            partition by {% for column in ['day'] + key %}speed.{{ column }}, {% endfor %}speed.generation
            order by {{ preferred(view) }}speed.as_of desc, speed.batch_id desc
        ) as _place
    from {{ source('speed', view) }} as speed
    inner join generations on speed.generation = generations.generation

),

-- A row became the answer when it was written, if it ranked before all earlier rows of its key.
answers as (

    select
        *,
        min(_place) over (partition by {{ keys }}, generation order by _written_at, batch_id) as _best
    from ranked

),

by_stream as (

    select
        {{ keys }},
        if(is_removed, null, {{ answer }}) as answer,
        is_final,
        as_of as valid_from,
        least(lead(as_of) over (partition by {{ keys }}, generation order by _written_at, batch_id), _ended_at) as valid_to
    from answers
    where _place = _best

),

-- What each layer says of a row: the stream's versions, the truth, and the corrections with the answer before them.
told as (

    select
        {{ keys }},
        'stream' as layer,
        answer,
        is_final,
        valid_from,
        valid_to,
        cast(null as int) as revision,
        cast(null as string) as cause,
        cast(null as string) as old,
        cast(null as timestamp) as closes_at
    from by_stream
    union all
    select {{ keys }}, 'truth', {{ answer }}, true, null, null, null, null, null, {{ views()[view].closes }}
    from {{ source('truth', view) }}
    union all
    select
        day,
        {% for column in key %}from_json(key, '{{ key_types }}').{{ column }} as {{ column }},{% endfor %}
        'ledger',
        from_json(new, '{{ value_types }}'),
        true,
        null,
        null,
        revision,
        cause,
        old,
        null
    from {{ ref('stg_reconciliation__corrections') }}
    where view = '{{ view }}'

),

dated as (

    select
        told.*,
        get(days.settlements, 0) as first,
        element_at(days.settlements, -1).withdrawn_at is not null as is_withdrawn,
        get(filter(days.settlements, one -> one.revision = told.revision), 0).settled_at as corrected_at,
        element_at(days.settlements, -1).horizon as horizon,
        days.spans
    from told
    left join settled_days as days on told.day = days.day

),

counted as (

    select
        *,
        cast(count(revision) {{ by_revision }} as int) as revisions,
        lead(corrected_at) {{ by_revision }} as replaced_at,
        not coalesce(lead(cause) {{ by_revision }} like '%open%', false) as was_final,
        coalesce(max(closes_at) over (partition by {{ keys }}) < horizon, true) as has_closed,
        count(revision) over (partition by {{ keys }}) as corrections
    from dated
    where layer <> 'ledger' or corrected_at is not null

),

-- The truth table of a withdrawn day is not approved yet. There, a row that no settlement corrected had been settled with the
-- stream's value, so it is taken from the stream.
marked as (

    select
        *,
        first.revision is not null and case layer
            when 'stream' then corrections = 0 and is_withdrawn and valid_to is null
            when 'truth' then corrections = 0 and not is_withdrawn
            else revisions = 1 and revision > first.revision
        end as is_settled_first
    from counted

),

found as (

    select
        {{ keys }},
        -- If `spans` stood outside the structs, Spark 4.2.0 would lose it: two generators follow one another.
        inline(array(
            if(
                layer = 'stream',
                struct(
                    answer, is_final, 'provisional' as status, revision, 0 as revisions, cause, valid_from, valid_to, spans
                ),
                null
            ),
            if(
                is_settled_first,
                struct(
                    if(layer = 'ledger', from_json(old, '{{ value_types }}'), answer) as answer,
                    if(layer = 'ledger', not coalesce(cause like '%open%', false), has_closed) as is_final,
                    'settled' as status, first.revision, 0 as revisions, cast(null as string) as cause,
                    first.settled_at as valid_from, corrected_at as valid_to, spans
                ),
                null
            ),
            if(
                layer = 'ledger',
                struct(
                    answer, if(replaced_at is null, has_closed, was_final) as is_final, 'corrected' as status, revision, revisions, cause,
                    corrected_at as valid_from, replaced_at as valid_to, spans
                ),
                null
            )
        ))
    from marked

),

cut as (

    select
        {{ keys }},
        answer,
        is_final,
        status,
        if(status = 'provisional', null, greatest(revision, span_revision)) as revision,
        revisions,
        cause,
        greatest(valid_from, if(status = 'provisional', opened_at, closed_at)) as valid_from,
        least(valid_to, if(status = 'provisional', closed_at, reopened_at)) as valid_to
    from found
    lateral view outer inline(spans) as opened_at, span_revision, closed_at, reopened_at
    -- A correction that removes a row, or the stream that does, ends its last version and begins no new one.
    where answer is not null and (status = 'provisional' or span_revision is not null)
)

select *
from cut
where valid_to is null or valid_from < valid_to
{% endmacro %}
