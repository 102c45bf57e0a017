{#- Per day, and row of a view if `key` names its columns: in how many settlements the ledger has corrected it. -#}
{% macro corrections_made(view, key=[]) %}
    select
        day,
        {%- for column in key %}
        from_json(key, '{{ column_types(view, key) }}').{{ column }} as {{ column }},
        {%- endfor %}
        count(distinct revision) as revisions
    from {{ ref('stg_reconciliation__corrections') }}
    where view = '{{ view }}'
    group by all
{% endmacro %}
