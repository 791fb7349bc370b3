"""Schemaspaces and their instances: the API for packages, the shipped schemaspaces, and the instances of a process."""
