"""The night's report: one page that answers, per day, what differed, why, and what waiting would have bought."""
