"""The Spark data source `colophon`: tables, bulk writes and the change log, with Spark's Python Data Source API.

What is read is reckoned on the driver and read by tasks, each with a connection of its own. All of it is a client: it
runs in Python workers of executors, which need no more of this package than `client/` and this folder.
"""
