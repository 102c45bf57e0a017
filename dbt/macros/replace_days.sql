{#-
  How an incremental model with `insert_overwrite` is written: the days that may have changed are replaced in one commit. dbt-spark's
  own way replaces only those that the new rows have, so that a day whose last row is gone would keep its old ones.
-#}
{% macro get_insert_overwrite_sql(source_relation, target_relation, existing_relation) %}
    {%- set columns = adapter.get_columns_in_relation(target_relation) | map(attribute='quoted') | join(', ') -%}
    insert into {{ target_relation }} replace where {{ changed_days() }}
    select {{ columns }} from {{ source_relation }}
{% endmacro %}
