"""Evaluate expectations on DataFrames of Spark and pandas, and record the results (docs/how-to/check-data-quality.md).

Importing this package imports neither pyspark nor pandas.
"""
