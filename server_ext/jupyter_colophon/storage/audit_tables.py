"""The tables of the audit (storage/audit_log.py)."""

from typing import Final

from jupyter_colophon.storage.spi import TableSpec

#: `person` refers to the name of a person or account, `token` is the id of a service token, `detail` is the aspect or the
#: permission.
AUDIT_ENTRIES: Final = TableSpec(
    "audit_entries",
    {
        "seq": "long",
        "time": "long",
        "person": "string",
        "via": "string",
        "token": "string",
        "program": "string",
        "run": "string",
        "action": "string",
        "outcome": "string",
        "urn": "string",
        "detail": "string",
        "sensitive": "bool",
        "count": "long",
    },
    ("seq",),
    ("person", "urn"),
)
#: The names of the persons and accounts in entries. After a person was renamed, two rows may have the same name.
AUDIT_PERSONS: Final = TableSpec("audit_persons", {"person": "string", "name": "string"}, ("person",), ("name",))
AUDIT_SEALS: Final = TableSpec(
    "audit_seals",
    {
        "seq": "long",
        "hash": "bytes",
        "rows": "long",
        "newest": "long",
        "time": "long",
        "checkpoint": "bool",
        "signature": "bytes",
    },
    ("seq",),
)
ALL: Final = (AUDIT_ENTRIES, AUDIT_PERSONS, AUDIT_SEALS)
