"""Delivery of the change log to sinks outside the catalog: webhooks, Jupyter events, Kafka, and sinks of other packages."""
