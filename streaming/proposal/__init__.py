"""A proposal: the contract that the records of a topic seem to keep, with the share of records that each part of it fits."""
