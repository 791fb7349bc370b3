"""Crawl and profile datasets in folders and catalogs, and record them in the catalog (docs/crawl.md).

Importing this package imports neither pyspark nor py4j: a crawl without new data starts no Spark session.
"""
