"""Infrastructure that knows no topic and no view: settings, Spark session, tables, writes, services, command line."""
