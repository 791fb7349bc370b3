"""Entities as readers see them, and changes of them."""
