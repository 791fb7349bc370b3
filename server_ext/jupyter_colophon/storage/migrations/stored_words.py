"""Rename former public words in rows of version e8b857e: causes of refusals, states, kinds and facts."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json, parse_stored_json
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.spi import Key, Row, TableContext

#: The number of rows in one transaction, which blocks all other writers.
_AT_ONCE: Final = 500
#: The error classes that a refusal names.
CAUSES: Final[Mapping[str, str]] = {
    "Absent": "NotFound",
    "SchemaAbsent": "SchemaNotFound",
    "InstanceAbsent": "InstanceNotFound",
    "SchemaspaceUnknown": "SchemaspaceNotFound",
    "EntityTypeUnknown": "UnknownEntityType",
    "Unparsable": "MalformedBody",
    "AlreadyThere": "AlreadyExists",
    "OtherDoor": "ManagedElsewhere",
    "RunStands": "RunConflict",
    "KeyReused": "IdempotencyKeyReused",
    "HistoryForgotten": "HistoryExpired",
    "LogShorter": "LogReset",
    "Unconfirmed": "ConfirmationRequired",
    "NamespaceEnding": "NamespaceDeleting",
    "HalfRestored": "IncompleteRestore",
    "Misconfigured": "InvalidConfiguration",
    "IllegalName": "InvalidName",
    "IllegalQuery": "InvalidQuery",
    "IllegalSecret": "InvalidSecret",
    "IllegalInstanceName": "InvalidInstanceName",
    "SchemaRefused": "SchemaRejected",
    "BackupRefused": "BackupRejected",
    "RemovalRefused": "RemovalNotPermitted",
    "RenameRefused": "RenameNotSupported",
    "InstanceIsFolder": "InstanceIsDirectory",
    "TransactionTooLong": "TransactionTimeout",
    "Undelivered": "DeliveryFailed",
    "Undeliverable": "DeliveryRejected",
    "Unreachable": "SinkUnavailable",
}
_STATES: Final[Mapping[str, str]] = {"waiting": "pending", "refused": "rejected"}
_FACTS: Final[Mapping[str, str]] = {"notSeen": "missingLineage"}


def rename_words_in_inbox(tx: TableContext, after: Key) -> Key | None:
    """Rename states and causes in some rows of the inbox; returns the last key, None at the end."""
    return _rewrite_some_rows(tx, "inbox", after, partial(_rename_state_in_row, column="state", refusal="outcome"))


def rename_words_in_dead_letters(tx: TableContext, after: Key) -> Key | None:
    """Rename kinds and causes of some dead letters; returns the last key, None at the end."""
    return _rewrite_some_rows(
        tx, "dead_letters", after, partial(_rename_state_in_row, column="kind", refusal="problem")
    )


def rename_words_in_rejections(tx: TableContext, after: Key) -> Key | None:
    """Rename the causes of some rows that loads rejected; returns the last key, None at the end."""
    return _rewrite_some_rows(tx, "load_rejections", after, partial(_rename_state_in_row, column="", refusal="refusal"))


def rename_words_in_schedules(tx: TableContext, after: Key) -> Key | None:
    """Rename the states of some schedules; returns the last key, None at the end."""
    return _rewrite_some_rows(tx, "schedules", after, partial(_rename_state_in_row, column="status", refusal=""))


def rename_run_facts(tx: TableContext, after: Key) -> Key | None:
    """Rename facts of some runs; returns the last key, None at the end."""
    return _rewrite_some_rows(tx, "runs", after, _rename_facts_of_run)


def _rewrite_some_rows(tx: TableContext, table: str, after: Key, change: Callable[[Row], Row]) -> Key | None:
    rows = list(tx.get_table(table).scan(sources_of_truth.build_range_after_key(after), _AT_ONCE))
    tx.get_table(table).upsert_many([new for row in rows if (new := change(row)) != row])
    return tuple(_iterate_key_values(table, rows[-1])) if rows else None


def _iterate_key_values(table: str, row: Row) -> Iterator[str | int]:
    for name in _KEYS[table]:
        yield row[name]


#: The keys of these tables; the place of a migration has them as JSON.
_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "inbox": ("id",),
    "dead_letters": ("id",),
    "load_rejections": ("actor", "load", "partition", "number", "row"),
    "schedules": ("schedule",),
    "runs": ("program", "run_id"),
}


def _rename_state_in_row(row: Row, column: str, refusal: str) -> Row:
    changed = dict(row)
    if column:
        changed[column] = _STATES.get(row[column], row[column])
    if refusal and row[refusal] is not None:
        changed[refusal] = _rename_cause_in_text(row[refusal])
    return changed


def _rename_cause_in_text(text: str) -> str:
    document = json.loads(text)
    if not isinstance(document, dict) or document.get("cause") not in CAUSES:
        return text
    return encode_canonical_json(document | {"cause": CAUSES[document["cause"]]})


def _rename_facts_of_run(row: Row) -> Row:
    facts = parse_stored_json(row["facts"])
    if not facts.keys() & _FACTS.keys():
        return row
    return row | {"facts": encode_canonical_json({_FACTS.get(name, name): value for name, value in facts.items()})}
