"""The commands of the labs, a file for each family of them."""
