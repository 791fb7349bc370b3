"""Pipelines: stages that read, change and write data on Spark, and read and emit metadata while they run.

Nothing here imports pyspark before a pipeline runs: a server checks pipelines too.
"""
