"""Commands of `daybreak` about orders, the shop's database and its followers; the demo."""
