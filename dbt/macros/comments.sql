{#-
  A table's column comments, in one statement, once: when the table is made. dbt-spark takes one statement per column, and takes them again
  with every build; each would be a commit. A table that is replaced with every build has its columns described in the docs only.
-#}
{% macro spark__persist_docs(relation, model, for_relation, for_columns) -%}
{%- if config.get('materialized') == 'incremental' and not is_incremental() -%}
{%- set comments = [] -%}
{%- for name, column in model.columns.items() if column.description -%}
{%- do comments.append(adapter.quote(name) ~ " comment '" ~ (column.description | replace("'", "\\'")) ~ "'") -%}
{%- endfor -%}
{%- do run_query("alter table " ~ relation ~ " alter column " ~ comments | join(", ")) if comments -%}
{%- endif -%}
{%- endmacro -%}
