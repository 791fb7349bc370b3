"""The Python API for notebooks and scripts, behind `metadata.tag(…)`, `metadata.search(…)` and `%metadata`."""
