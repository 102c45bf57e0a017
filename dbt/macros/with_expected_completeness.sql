{#-
  The rows of a CTE with `expected_completeness`: the least share of the row's events that the stream should have counted by now.
  The row closes at `closes`. Its age is the largest event time that the stream has read, minus `closes`. The share is that of the
  settled days' events that needed a wait no longer than the age. The stream does not count events that needed a longer wait than
  its delay, so from that age on the share stays the same. 1 is reserved for settled rows, which are proven.
-#}
{% macro with_expected_completeness(rows, view, closes) %}
    select
        {{ rows }}.* except (closes_at),
        case
            when {{ rows }}.status <> 'provisional' then cast(1 as decimal(18, 9))
            when expected.share = 1 then cast(0.999999999 as decimal(18, 9))
            else expected.share
        end as expected_completeness
    from (select *, {{ closes }} as closes_at from {{ rows }}) as {{ rows }}
    cross join {{ ref('stg_speed__frontier') }} as clock
    left join {{ ref('rpt_expected_completeness') }} as expected
        on
            {{ rows }}.status = 'provisional'
            and expected.view = '{{ view }}'
            and expected.age_seconds = case
                when clock.frontier < {{ rows }}.closes_at then -1
                when clock.frontier is not null then least(
                    (unix_millis(clock.frontier) - unix_millis({{ rows }}.closes_at)) div 1000,
                    {{ env_var('DAYBREAK_WATERMARK_DELAY_SECONDS') }}
                )
            end
{% endmacro %}
