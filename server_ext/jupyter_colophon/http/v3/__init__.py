"""CDAP's front state, `/colophon/v3`: its paths and answers over our proposals and questions (spec CDAP-1)."""
