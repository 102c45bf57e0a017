-- Fails on every key of a staging model that occurs twice, and on those with a row that lacks what it must have.
{{ broken_keys([
    'stg_silver__orders', 'stg_silver__payments',
    'stg_speed__order_totals', 'stg_speed__order_payments', 'stg_speed__frontier',
    'stg_truth__orders', 'stg_truth__payments', 'stg_truth__order_totals', 'stg_truth__order_payments',
    'stg_archive__gaps',
    'stg_reconciliation__settlements', 'stg_reconciliation__past_settlements', 'stg_reconciliation__decisions',
    'stg_reconciliation__corrections', 'stg_reconciliation__summary', 'stg_reconciliation__lateness',
    'stg_reconciliation__curve'
]) }}
