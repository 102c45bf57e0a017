{#-
  Which of several candidates of a key is its row: the first by these columns, ascending, nulls last. The same as `prefer`
  of each view in streaming/views, which a test compares; a view without an entry there has none here.
  `renamed` has the columns that the reader calls otherwise.
-#}
{% macro preferred(view, renamed={}) -%}
    {%- set columns = {
        'order_payments': ['captured_at', 'payment_id', 'amount_cents', 'ordered_at', 'total_cents', 'customer_id']
    } -%}
    {%- for column in columns.get(view, []) -%}
        {{ renamed.get(column, column) }} asc nulls last,{{ " " }}
    {%- endfor -%}
{%- endmacro %}
