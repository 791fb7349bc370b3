"""Spark: a session that needs no set-up, and the capture of what its queries read and write.

Importing this package imports neither pyspark nor py4j; its modules import them where they are first needed.
"""
