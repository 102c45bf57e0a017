{#- dbt-spark turns ANSI mode off on every connection that it opens. A test has no pre-hook, so this macro turns it on again. -#}
{% macro spark__get_test_sql(main_sql, fail_calc, warn_if, error_if, limit) -%}
    {%- do run_query("set spark.sql.ansi.enabled = true") -%}
    {{ default__get_test_sql(main_sql, fail_calc, warn_if, error_if, limit) }}
{%- endmacro %}
