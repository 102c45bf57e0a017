-- Fails on every key of a staging model that occurs twice, or has a row with a null in a required column (`meta.present`).
-- stg_speed__* of views are tested only by a build of all days: they keep one row per key by their definition. stg_truth__* of
-- views are tested by what_a_fact_claims.
{% set models = [
    'stg_speed__frontier', 'stg_archive__gaps',
    'stg_reconciliation__settlements', 'stg_reconciliation__past_settlements', 'stg_reconciliation__days_being_redone',
    'stg_reconciliation__decisions',
    'stg_reconciliation__corrections', 'stg_reconciliation__summary', 'stg_reconciliation__lateness',
    'stg_reconciliation__curve'
] %}
{% set is_whole = not env_var('DAYBREAK_UNCHANGED_DAYS', '') %}
{% for name in (views() if is_whole else []) %}{% do models.append('stg_speed__' ~ name) %}{% endfor %}
{{ broken_keys(models) }}
union all
{{ broken_keys_of_topics('silver') }}
union all
{{ broken_keys_of_topics('truth') }}
