{#- Per day, and row of a view if `key` names its columns: in how many settlements the ledger has corrected it. -#}
{% macro corrections_made(view, key=[]) %}
    select
        {{ (['day'] + key) | join(", ") }},
        count(distinct revision) as revisions
    from {{ ref('stg_reconciliation__corrections') }}
    where view = '{{ view }}'
    group by {{ (['day'] + key) | join(", ") }}
{% endmacro %}
