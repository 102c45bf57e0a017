{#- dbt-spark turns ANSI off on every connection it opens; a test has no pre-hook, so it is turned on again here. -#}
{% macro spark__get_test_sql(main_sql, fail_calc, warn_if, error_if, limit) -%}
    {%- do run_query("set spark.sql.ansi.enabled = true") -%}
    {{ default__get_test_sql(main_sql, fail_calc, warn_if, error_if, limit) }}
{%- endmacro %}
