"""The ways from a producer to its consumers that the labs compare, each with an end that sends and one that receives."""
