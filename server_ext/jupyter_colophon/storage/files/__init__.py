"""Instances as JSON files: the only code that reads or writes them."""
