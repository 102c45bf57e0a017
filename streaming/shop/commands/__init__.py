"""The command of `daybreak` that simulates the shop."""
