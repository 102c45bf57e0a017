"""What Prometheus and Grafana see: families of samples, their text, and the rules and the dashboard that read them."""
