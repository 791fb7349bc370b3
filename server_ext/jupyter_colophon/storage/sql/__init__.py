"""Shared by the SQL dialects: structured tables as statements that are built once and run on the driver."""
