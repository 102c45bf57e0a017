{#-
  Per day of a CTE: how many records, of any topic, are in accepted gaps that may concern the day. The arrivals before and after a gap
  say which days it may concern. A day that no gap touches has no row.
-#}
{% macro records_missing(days) %}
    select
        days.day,
        sum(gaps.offsets) as records_missing
    from (select distinct day from {{ days }}) as days
    inner join {{ ref('stg_archive__gaps') }} as gaps on days.day between gaps.from_day and gaps.to_day
    group by days.day
{% endmacro %}
