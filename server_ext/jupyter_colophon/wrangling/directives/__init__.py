"""The directives, by subject. Each module has a tuple `DIRECTIVES`."""
