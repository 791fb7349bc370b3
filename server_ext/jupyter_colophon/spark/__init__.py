"""Spark: sessions without configuration, and capture of what queries read and write.

Importing this package imports neither pyspark nor py4j; its modules import them when they are first needed.
"""
