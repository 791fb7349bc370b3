"""Erase the names of a person from a store, and list where it has them."""
