"""Settlement: which days are settled, and the approval of a correction that is larger than its threshold."""
