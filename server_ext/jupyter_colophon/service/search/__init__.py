"""Search, lists of entities, and statistics of keys."""
