"""Analysed Spark plans as statements: what they read and write, column by column."""
