"""Generators of what follows from the OpenAPI documents and the settings: clients and reference pages."""
