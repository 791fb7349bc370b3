"""Storage of the graph. Only `sqlite/`, `postgresql/` and `sql/` contain SQL."""
