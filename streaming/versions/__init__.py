"""Versions of contracts and views, as hashes of their plans, and the generation of the stream that they belong to."""
