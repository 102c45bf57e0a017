{#- The number of settlements that corrected a day, or each row of a day if `key` names the view's key columns. -#}
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
