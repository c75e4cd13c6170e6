"""Reading the server's Prometheus metrics."""
