"""What OpenLineage tells, as ours: no input or output."""
