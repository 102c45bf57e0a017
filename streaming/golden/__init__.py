"""A golden day: a few real records of a day, masked, that a project keeps beside its tests with what both layers say."""
