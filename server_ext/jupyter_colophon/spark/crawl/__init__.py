"""Crawl and profile: what is in folders and catalogs, and how it looks, told to the catalog (docs/crawl.md).

Importing this package imports neither pyspark nor py4j: a crawl that finds nothing new starts no Spark.
"""
