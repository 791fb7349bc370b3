"""Entities as readers see them, and changes to them."""
