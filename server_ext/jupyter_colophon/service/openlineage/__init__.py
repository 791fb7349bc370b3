"""OpenLineage: storing events, and the reads of Marquez's API."""
