"""Generators of clients and reference pages from the OpenAPI documents and the settings."""
