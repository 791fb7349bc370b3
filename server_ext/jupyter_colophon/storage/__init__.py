"""Where the graph is kept. Only `sqlite.py` holds SQL."""
