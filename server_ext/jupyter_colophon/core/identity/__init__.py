"""Names and URNs of entities."""
