"""Work over the whole catalog as Spark jobs: bulk ingest, statistics, and what the change log tells of people and days.

`python -m jupyter_colophon.spark.jobs` runs them on this machine, and `spark-submit` with the folder's `__main__.py` on a
cluster. They read and write by the data source `colophon` alone.
"""
