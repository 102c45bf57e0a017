{#-
  Overrides how dbt-spark writes an incremental model with `insert_overwrite`: all days that may have changed are replaced in one
  commit. dbt-spark replaces only the days of the new rows, so a day that has no row any more would keep its old rows.
-#}
{% macro get_insert_overwrite_sql(source_relation, target_relation, existing_relation) %}
    {%- set columns = adapter.get_columns_in_relation(target_relation) | map(attribute='quoted') | join(', ') -%}
    insert into {{ target_relation }} replace where {{ changed_days() }}
    select {{ columns }} from {{ source_relation }}
{% endmacro %}
