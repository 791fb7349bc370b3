"""Pipelines: stages that read, transform and write data on Spark, and read and emit metadata while they run.

Nothing here imports pyspark before a pipeline runs, since servers also check pipelines.
"""
