"""Search requests, the query language, and highlights."""
