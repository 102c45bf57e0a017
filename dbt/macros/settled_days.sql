{#-
  One row per day that was ever settled: its `settlements` (revision, settled_at, withdrawn_at, horizon), in order, and `spans`, the time spans
  in which the stream serves the day: from `opened_at` (a withdrawal; null: since the beginning) to `closed_at`, the time of settlement
  `revision` (null: not settled again yet). That settlement and those that replaced it serve the day until `reopened_at`, the next
  withdrawal. Arrays, because a query that joins them reads the settlements once.
-#}
{% macro settled_days() %}
    select
        day,
        settlements,
        transform(
            spans,
            (span, place) -> struct(span.opened_at, span.revision, span.closed_at, get(spans, place + 1).opened_at as reopened_at)
        ) as spans
    from (
        select
            day,
            settlements,
            filter(
                transform(
                    sequence(0, size(settlements)),
                    place -> struct(
                        place,
                        get(settlements, place - 1).withdrawn_at as opened_at,
                        get(settlements, place).revision as revision,
                        get(settlements, place).settled_at as closed_at
                    )
                ),
                span -> span.place = 0 or span.opened_at is not null
            ) as spans
        from (
            select day, sort_array(collect_list(struct(revision, settled_at, withdrawn_at, horizon))) as settlements
            from {{ ref('rpt_settlements') }}
            group by day
        )
    )
{% endmacro %}
