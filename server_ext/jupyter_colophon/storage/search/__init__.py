"""Search rows, values and their history, and ranking."""
