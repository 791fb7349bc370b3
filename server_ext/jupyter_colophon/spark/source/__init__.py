"""The Spark data source `colophon`: tables, bulk writes and the change log, with Spark's Python Data Source API.

Reads are planned on the driver and executed by tasks, each with its own connection. The data source is an HTTP client: it
runs in Python workers of executors, which need only `client/`, `core/` and this folder of the package.
"""
