-- Fails on every key of a mart that occurs twice, or has a row with a null in a required column (`meta.present`).
{{ broken_keys(facts() + ['rpt_reconciliation', 'rpt_completeness', 'rpt_expected_completeness', 'rpt_settlements']) }}
