"""Names of the datasets that Spark reads and writes."""
