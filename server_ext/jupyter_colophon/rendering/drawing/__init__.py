"""The picture of a lineage graph, drawn as the lab extension draws it (labextension/src/lineage)."""
