"""Entities, relations and names as CDAP's clients spell them."""
