"""Dataset names of what Spark reads and writes."""
