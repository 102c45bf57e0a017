"""The night's report: one page that says what differed, why, and how complete other allowed latenesses would have been."""
