"""The processes of a lab: producers and consumers over a transport, and the ledger of what they did."""
