"""The tables of loads (core/changes/bulk_load.py)."""

from jupyter_colophon.storage.spi import TableSpec

LOADS = TableSpec(
    "loads",
    {
        "actor": "string",
        "id": "string",
        "state": "string",
        "opened": "long",
        "touched": "long",
        "batches": "long",
        "written": "long",
        "unchanged": "long",
        "refused": "long",
    },
    ("actor", "id"),
    ("touched",),
)

#: The outcome of each batch of an open load, so that it is applied once: compressed JSON. Deleted when the load ends.
LOAD_BATCHES = TableSpec(
    "load_batches",
    {
        "actor": "string",
        "load": "string",
        "partition": "long",
        "number": "long",
        "fingerprint": "string",
        "result": "bytes",
    },
    ("actor", "load", "partition", "number"),
)

#: The reasons for rejected rows: JSON.
LOAD_REJECTIONS = TableSpec(
    "load_rejections",
    {
        "actor": "string",
        "load": "string",
        "partition": "long",
        "number": "long",
        "row": "long",
        "urn": "string",
        "refusal": "string",
    },
    ("actor", "load", "partition", "number", "row"),
)

ALL = (LOADS, LOAD_BATCHES, LOAD_REJECTIONS)
