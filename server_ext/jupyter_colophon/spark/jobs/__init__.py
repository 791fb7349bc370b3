"""Spark jobs over the whole catalog: bulk ingestion, statistics, and activity from the change log.

Run them locally with `python -m jupyter_colophon.spark.jobs`, or on a cluster with `spark-submit` and this folder's
`__main__.py`. They use only the data source `colophon`.
"""
