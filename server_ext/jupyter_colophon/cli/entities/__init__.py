"""Commands on entities."""
