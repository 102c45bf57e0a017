"""Commands of `daybreak` about the services, the machine and SQL."""
