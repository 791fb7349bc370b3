"""The tables of the portable subsystems, each in the order in which it is read."""

from jupyter_colophon.storage.spi import FieldType, TableSpec
from jupyter_colophon.storage.tables import CHANGE

#: The last numbers of changes and documents.
NUMBERS = TableSpec("seam_numbers", {"name": "string", "last": "long"}, ("name",))

CHANGES = TableSpec("seam_changes", CHANGE, ("seq",))
#: Changes by the fields that can be filtered.
CHANGES_BY = TableSpec(
    "seam_changes_by", {"field": "string", "value": "string", "seq": "long"}, ("field", "value", "seq")
)

#: `place` is the negative number of a document: the newest is first. `words` and `terms` are separated by blanks.
DOCUMENTS = TableSpec(
    "seam_search_documents",
    {
        "urn": "string",
        "place": "long",
        "namespace": "string",
        "type": "string",
        "length": "long",
        "words": "string",
        "terms": "string",
    },
    ("urn",),
)
TOKENS = TableSpec("seam_search_tokens", {"token": "string", "place": "long", "urn": "string"}, ("token", "place"))
FACETS = TableSpec(
    "seam_search_facets",
    {"place": "long", "facet": "string", "value": "string"},
    ("place", "facet", "value"),
)

#: Neighbours, from both sides.
NEIGHBOURS = TableSpec(
    "seam_neighbours",
    {"side": "string", "key": "string", "other": "string", "mode": "string"},
    ("side", "key", "other", "mode"),
)
_ACCESS: dict[str, FieldType] = {
    "data": "string",
    "program": "string",
    "mode": "string",
    "run": "string",
    "component": "string",
}
#: The accesses of an edge, of data, and of a run. `past` is the negative start: the newest is first.
EDGE_RUNS = TableSpec(
    "seam_edge_runs",
    {**_ACCESS, "past": "long", "stop": "long"},
    ("data", "program", "mode", "past", "run", "component"),
)
DATA_RUNS = TableSpec(
    "seam_data_runs",
    {**_ACCESS, "past": "long", "stop": "long"},
    ("data", "past", "run", "program", "mode", "component"),
)
RUN_ACCESSES = TableSpec(
    "seam_run_accesses",
    {**_ACCESS, "past": "long", "stop": "long"},
    ("run", "data", "program", "mode", "past", "component"),
)

#: The tables of each subsystem.
TABLES_OF_SUBSYSTEM = {
    "log": (NUMBERS, CHANGES, CHANGES_BY),
    "search": (NUMBERS, DOCUMENTS, TOKENS, FACETS),
    "edges": (NEIGHBOURS, EDGE_RUNS, DATA_RUNS, RUN_ACCESSES),
}
