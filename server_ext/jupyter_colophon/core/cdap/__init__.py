"""Entities, relations and names in the formats of CDAP."""
