{#-
  The time spans in which the stream serves a day, one row each: from `opened_at` (a withdrawal; null: since the beginning) to
  `closed_at`, the time of settlement `revision` (null: not settled again yet). That settlement and those that replaced it serve the
  day until `reopened_at`, the next withdrawal.
-#}
{% macro times_of_the_stream() %}
    select
        *,
        lead(opened_at) over (partition by day order by closed_at asc nulls last) as reopened_at
    from (
        select day, opened_at, revision, settled_at as closed_at
        from (
            select *, lag(withdrawn_at) over (partition by day order by revision) as opened_at,
                row_number() over (partition by day order by revision) as place
            from {{ ref('rpt_settlements') }}
        )
        where place = 1 or opened_at is not null
        union all
        select day, max_by(withdrawn_at, revision), null, null
        from {{ ref('rpt_settlements') }}
        group by day
        having max_by(withdrawn_at, revision) is not null
    )
{% endmacro %}
