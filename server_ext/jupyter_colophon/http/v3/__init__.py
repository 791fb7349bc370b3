"""CDAP's front door, `/colophon/v3`: its paths and answers over our proposals and questions (spec CDAP-1)."""
