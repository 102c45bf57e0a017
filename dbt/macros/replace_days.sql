{#-
  Overrides how dbt-spark writes an incremental model with `insert_overwrite`: all days that may have changed are replaced in one
  commit. dbt-spark replaces only the days of the new rows, so a day that has no row any more would keep its old rows.
  The rows come from the model's own query: as a temporary view, as dbt-spark has it, it would be analysed twice.
-#}
{% macro get_insert_overwrite_sql(source_relation, target_relation, existing_relation) %}
    {%- set columns = adapter.get_columns_in_relation(target_relation) | map(attribute='quoted') | join(', ') -%}
    insert into {{ target_relation }} replace where {{ changed_days() }}
    select {{ columns }} from (
        {{ compiled_code }}
    )
{% endmacro %}

{% macro spark__create_temporary_view(relation, compiled_code) -%}
    {%- if config.get('incremental_strategy') == 'insert_overwrite' -%}
        set spark.sql.ansi.enabled = true
    {%- else -%}
        create or replace temporary view {{ relation }} as
        {{ compiled_code }}
    {%- endif -%}
{%- endmacro %}
