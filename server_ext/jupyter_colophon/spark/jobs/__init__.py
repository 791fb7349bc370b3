"""Tables of figures about the whole catalog, computed by Spark from tables of a data source.

The source is `colophon`, which reads from a server, or `colophon-store` (`store_jobs/`), which reads the store itself.
"""
