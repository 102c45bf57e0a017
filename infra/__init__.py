"""What the data stands on, and nothing about orders: settings, session, tables, writes, services, command line."""
