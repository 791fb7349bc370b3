"""Schemaspaces and their instances: the API for packages, the schemaspaces that are shipped, and the instances of a process."""
