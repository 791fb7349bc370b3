"""The OpenLineage door: `/colophon/openlineage`."""
