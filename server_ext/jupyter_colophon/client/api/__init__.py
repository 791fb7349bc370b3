"""What people ask of the catalog from a notebook or a script: behind `metadata.tag(…)`, `metadata.search(…)` and `%metadata`."""
