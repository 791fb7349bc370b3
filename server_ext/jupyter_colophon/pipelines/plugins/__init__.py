"""The plugins that we ship. Each module has a tuple `PLUGINS`; none imports pyspark before a pipeline runs."""
