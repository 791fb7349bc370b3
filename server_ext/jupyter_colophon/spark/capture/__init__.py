"""The listener and the hooks that capture what a Spark session does."""
