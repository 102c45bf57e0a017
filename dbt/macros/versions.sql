{#-
  Every version of every row of a view that was ever the answer: `day`, the key, `said` (a struct of `values`), `status`,
  `revision` (the settlement that said it; null: the stream), `revisions` (corrections so far), `cause` of the correction,
  `valid_from`, `valid_to` (null: valid now).

  Until its day is first settled, a row is as the stream said it, from a micro-batch's `as_of` on: by `preferred`, then the
  latest (as in latest_answers), until the stream starts anew with another lineage. From then on it is as settled, and changes
  with each correction that a settlement brought. What the first settlement left alone is the truth; a row that only a later
  one corrected was `old` until then.

  `key` and `values` map the view's columns to their types. Filters on `day` reach the tables: put one.
-#}
{% macro versions(view, key, values, preferred=[]) %}
{%- set keys = (['day'] + (key | list)) | join(", ") -%}
{%- set key_types = key.items() | map("join", " ") | join(", ") -%}
{%- set value_types = values.items() | map("join", " ") | join(", ") -%}
{%- set said = "struct(" ~ (values | join(", ")) ~ ")" -%}
with lineages as (

    select
        lineage,
        lead(min(as_of)) over (order by lineage) as ended_at
    from {{ source('speed', 'progress') }}
    where query = '{{ view }}'
    group by lineage

),

settlements as (

    select day, revision, settled_at from {{ ref('rpt_settlements') }}
    union
    select day, revision, settled_at from {{ ref('stg_reconciliation__coverage') }}

),

first_settled as (

    select
        day,
        min(revision) as revision,
        min_by(settled_at, revision) as settled_at
    from settlements
    group by day

),

ranked as (

    select
        speed.*,
        lineages.ended_at,
        row_number() over (
            partition by {% for column in ['day'] + (key | list) %}speed.{{ column }}, {% endfor %}speed.lineage
            order by {% for by in preferred %}speed.{{ by }}, {% endfor %}speed.as_of desc, speed.batch_id desc
        ) as place
    from {{ source('speed', view) }} as speed
    inner join lineages on speed.lineage = lineages.lineage

),

-- A row is an answer when it is said if it is better than all that was said before it.
answers as (

    select
        *,
        min(place) over (partition by {{ keys }}, lineage order by as_of, batch_id) as best
    from ranked

),

by_stream as (

    select
        {{ keys }},
        {{ said }} as said,
        as_of as valid_from,
        least(
            lead(as_of) over (partition by {{ keys }}, lineage order by as_of, batch_id),
            ended_at,
            first_settled.settled_at
        ) as valid_to
    from answers
    left join first_settled using (day)
    where place = best

),

corrections as (

    select
        corrections.day,
        {% for column in key %}from_json(corrections.key, '{{ key_types }}').{{ column }} as {{ column }},{% endfor %}
        from_json(corrections.old, '{{ value_types }}') as before,
        from_json(corrections.new, '{{ value_types }}') as said,
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

settled as (

    select
        {{ keys }},
        {{ said }} as said,
        first_settled.revision,
        0 as revisions,
        cast(null as string) as cause,
        first_settled.settled_at as valid_from
    from {{ source('truth', view) }}
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
        said,
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

)

select
    {{ keys }},
    said,
    'provisional' as status,
    cast(null as int) as revision,
    0 as revisions,
    cast(null as string) as cause,
    valid_from,
    valid_to
from by_stream
where valid_to is null or valid_from < valid_to
union all
select
    {{ keys }},
    said,
    if(revisions = 0, 'settled', 'corrected'),
    revision,
    revisions,
    cause,
    valid_from,
    valid_to
from by_night
-- A correction to nothing ends the row's last version and begins none.
where said is not null
{% endmacro %}
