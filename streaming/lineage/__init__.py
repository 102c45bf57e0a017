"""Which columns of which topic each column of a view comes from, by Spark's own plan; and the stream's lineage."""
