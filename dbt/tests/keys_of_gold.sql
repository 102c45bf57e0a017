-- Fails on every key of a report that occurs twice, or has a row with a null in a required column (`meta.present`). For the facts
-- see what_a_fact_claims.
{{ broken_keys(['rpt_reconciliation', 'rpt_completeness', 'rpt_expected_completeness', 'rpt_settlements']) }}
