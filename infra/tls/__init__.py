"""TLS of the embedded services: certificates, who trusts them, and their renewal."""
