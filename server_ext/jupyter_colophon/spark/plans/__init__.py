"""Conversion of analysed Spark plans to statements: what they read and write, with column lineage."""
