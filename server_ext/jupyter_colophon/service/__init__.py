"""The catalog's services: synchronous, without any transport."""
