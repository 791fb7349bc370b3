"""Reading and changing entities and namespaces."""
