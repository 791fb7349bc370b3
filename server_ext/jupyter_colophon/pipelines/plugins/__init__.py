"""The built-in plugins. Each module has a tuple `PLUGINS`; none imports pyspark before a pipeline runs."""
