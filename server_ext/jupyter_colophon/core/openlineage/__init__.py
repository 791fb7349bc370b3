"""Convert OpenLineage events to our model, without input or output."""
