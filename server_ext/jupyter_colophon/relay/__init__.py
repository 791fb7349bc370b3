"""From the change log to sinks outside the catalog: webhooks, Jupyter's events, and those of other packages."""
