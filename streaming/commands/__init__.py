"""Commands of `daybreak` about the stream and what is sent to it."""
