{{
    config(
        materialized='incremental',
        incremental_strategy='append',
        full_refresh=false
    )
}}

-- The last model of a build, and only where every mart before it is built and tested.
-- depends_on: {{ ref('fct_orders') }}
-- depends_on: {{ ref('fct_order_totals') }}
-- depends_on: {{ ref('fct_daily_orders') }}
-- depends_on: {{ ref('fct_order_totals_history') }}
-- depends_on: {{ ref('fct_order_payments_history') }}
-- depends_on: {{ ref('rpt_reconciliation') }}
-- depends_on: {{ ref('rpt_completeness') }}
-- depends_on: {{ ref('rpt_expected_completeness') }}
-- depends_on: {{ ref('rpt_settlements') }}

select
    '{{ invocation_id }}' as build,
    timestamp'{{ run_started_at.strftime("%Y-%m-%d %H:%M:%S.%f") }}' as started_at,
    current_timestamp() as built_at
