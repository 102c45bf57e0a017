"""The queue broker: how one connects, sends and receives, and how queues are looked at and deleted."""
