"""Lineage of Spark Connect sessions, from the plans that the client sends: there is no JVM beside the program."""
