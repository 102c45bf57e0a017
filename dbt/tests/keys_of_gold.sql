-- Fails on every key of a mart that occurs twice, and on those with a row that lacks what it must have.
{{ broken_keys(facts() + ['rpt_reconciliation', 'rpt_completeness', 'rpt_expected_completeness', 'rpt_settlements']) }}
