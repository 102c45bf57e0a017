{#-
  The rows of every fact on the days that may have changed, and the rows that they must agree with: of the truth, or of
  fct_order_payments for fct_orders. Each has its `key` and its `answer` as text, so that rows of all facts stand in one query:
  planning one more scan costs more than the rows that it reads.
-#}
{% macro claimed_rows() %}
{%- set paid = ['customer_id', 'ordered_at', 'total_cents', 'payment_status', 'payment_id', 'captured_at'] -%}
{%- set unsure = "(payment_status = 'open' and not is_final) or (payment_status = 'pending' and status = 'provisional')" -%}
{%- set known = "payment_status in ('paid', 'unpaid') or " ~ unsure -%}
{%- for fact in facts() -%}
{%- set own = views().get(fact | replace('fct_', '', 1)) -%}
{%- set relation = ref(fact) -%}
{%- set meta = graph.nodes['model.daybreak.' ~ fact].config.meta if execute else {'key': ['day'], 'present': ['day']} -%}
{%- set key = meta.key | reject('eq', 'day') | list -%}
{%- set others = paid + ['paid_cents'] if fact == 'fct_orders' else [] -%}
{%- set values = own.columns | reject('in', own.key) | list if own else others -%}
{#- The truth has no word for a row that is open. -#}
{%- set said = [] -%}
{%- for value in values -%}
{%- set closed, open = own.while_open[value] if own and value in own.while_open else (none, none) -%}
{%- set plain = "if(" ~ value ~ " = '" ~ open ~ "' and not is_final, '" ~ closed ~ "', " ~ value ~ ") as " ~ value -%}
{%- do said.append(plain if open else value) -%}
{%- endfor -%}
{#- The whole table of days is made anew with every build. -#}
{%- set days = "true" if fact == 'fct_daily_orders' else changed_days() %}
select
    '{{ fact }}' as fact,
    day,
    {{ exactly(key or ['day']) }} as key,
    {{ exactly(said or ['day']) }} as answer,
    {{ "true" if values else "false" }} as is_compared,
    true as is_served,
    {{ meta.present | join(" is null or ") }} is null as lacks_a_column,
    {{ known if fact == 'fct_orders' else "true" }} as is_known,
    status,
    as_of,
    expected_completeness,
    revisions
from {{ relation }}
where {{ days }}
union all
{% if own -%}
select
    '{{ fact }}', day, {{ exactly(key) }}, {{ exactly(values) }}, true, false, {{ key | join(" is null or ") }} is null, true,
    null, null, null, null
from {{ ref('stg_truth__' ~ fact | replace('fct_', '', 1)) }}
where {{ days }}
union all
{% elif fact == 'fct_orders' -%}
select
    '{{ fact }}', day, {{ exactly(key) }}, {{ exactly(paid + ['amount_cents as paid_cents']) }}, true, false, false, true,
    null, null, null, null
from {{ ref('fct_order_payments') }}
where status <> 'provisional' and {{ days }}
union all
{% endif -%}
{% endfor %}
select null, null, null, null, false, false, false, true, null, null, null, null where false
{% endmacro %}
