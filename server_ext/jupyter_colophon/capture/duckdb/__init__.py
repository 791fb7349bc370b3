"""Capture of DuckDB: relations, SQL, files, attached databases, and variables of the program that SQL names."""
