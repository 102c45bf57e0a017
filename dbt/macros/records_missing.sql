{#-
  Per day of a CTE: the records that Kafka removed before a night read them and that may concern it, of any topic, by the
  arrivals around each gap. A day that no gap touches has no row.
-#}
{% macro records_missing(days) %}
    select
        days.day,
        sum(gaps.offsets) as records_missing
    from (select distinct day from {{ days }}) as days
    inner join {{ ref('stg_archive__gaps') }} as gaps on days.day between gaps.from_day and gaps.to_day
    group by days.day
{% endmacro %}
