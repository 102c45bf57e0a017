{#-
  The times in which a day is served from the stream, one row each: from `opened_at` (a withdrawal; null: ever) to `closed_at`,
  when settlement `revision` came (null: it has not come). That settlement, and those that replaced it, hold until `reopened_at`.
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
