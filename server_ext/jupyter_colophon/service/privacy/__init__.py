"""Erase people, export what is recorded of them, and delete what need not be kept."""
