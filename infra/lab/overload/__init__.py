"""The lab of overload: a producer four times as fast as its consumer, and what each way to send does with the difference."""
