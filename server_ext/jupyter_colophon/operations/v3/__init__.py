"""The operations of CDAP's API, `/colophon/v3`: its paths and answers over our proposals and queries (spec CDAP-1)."""
