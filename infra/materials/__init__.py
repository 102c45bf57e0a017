"""What the platform stands on: bills of materials, licences, known advisories. Runs in the audit's own environment."""
