"""Commands of `daybreak` about the order service, and what those about the shop's database need."""
