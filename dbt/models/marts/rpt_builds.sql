{{
    config(
        materialized='incremental',
        incremental_strategy='append',
        full_refresh=false
    )
}}

-- This is the last model of a build: dbt runs it only after every mart has been built and tested.
{%- for fact in facts() %}
-- depends_on: {{ ref(fact) }}
{%- endfor %}
{%- for view in views() %}
-- depends_on: {{ ref('fct_' ~ view ~ '_history') }}
{%- endfor %}
-- depends_on: {{ ref('rpt_reconciliation') }}
-- depends_on: {{ ref('rpt_completeness') }}
-- depends_on: {{ ref('rpt_expected_completeness') }}
-- depends_on: {{ ref('rpt_settlements') }}
{%- for report in own_reports() %}
-- depends_on: {{ ref(report) }}
{%- endfor %}

select
    '{{ invocation_id }}' as build,
    timestamp'{{ run_started_at.strftime("%Y-%m-%d %H:%M:%S.%f") }}' as started_at,
    current_timestamp() as built_at
