"""Spark jobs that read a store itself, each task with a connection of its own: checks, reindexing and a data source.

The machines of the executors need this package, and access to the store: to PostgreSQL over the network, to a SQLite file only
on its machine.
"""
