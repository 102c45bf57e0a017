-- Fails on every key of a staging model that occurs twice, or has a row with a null in a required column (`meta.present`).
{% set models = [
    'stg_speed__frontier', 'stg_archive__gaps',
    'stg_reconciliation__settlements', 'stg_reconciliation__past_settlements', 'stg_reconciliation__days_being_redone',
    'stg_reconciliation__decisions',
    'stg_reconciliation__corrections', 'stg_reconciliation__summary', 'stg_reconciliation__lateness',
    'stg_reconciliation__curve'
] %}
{% for layer, names in {'speed': views(), 'truth': views(), 'silver': topics()}.items() %}
    {% for name in names %}{% do models.append('stg_' ~ layer ~ '__' ~ name) %}{% endfor %}
{% endfor %}
{% for topic in topics() %}{% do models.append('stg_truth__' ~ topic) %}{% endfor %}
{{ broken_keys(models) }}
