"""What OpenLineage's clients tell and ask."""
