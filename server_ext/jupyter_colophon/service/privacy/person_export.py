"""Export what is recorded of a person: one line of JSON for each record that names the person."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final

from jupyter_colophon.core.audit import AuditSelection
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json, parse_stored_json
from jupyter_colophon.core.privacy.person import PersonNames, generate_pseudonym
from jupyter_colophon.service.audit.audit_reader import AuditReader
from jupyter_colophon.service.privacy.erasure import SEALED_LOGS, require_erasable_name
from jupyter_colophon.storage import tables
from jupyter_colophon.storage.changes.signed_chain import SealedLog
from jupyter_colophon.storage.privacy import person_logs, person_rows
from jupyter_colophon.storage.spi import Row, StorageProvider, TableContext, TableSpec
from jupyter_colophon.storage.system_apps import list_tables_of_apps

#: The aspects that users write to each other, which are exported whole.
_WHOLE_ASPECTS: Final = frozenset({"request", "certification"})
#: Fields that are not exported: values, of which only what names the person is; and what is secret or means nothing.
_OMITTED: Final = frozenset(
    {
        "arguments",
        "document",
        "edges",
        "facts",
        "fingerprint",
        "hash",
        "outcome",
        "position",
        "previous",
        "previous_hash",
        "previous_system",
        "principal",
        "problem",
        "proposals",
        "refusal",
        "result",
        "system",
        "system_metadata",
        "user_metadata",
        "value",
    }
)
_ROWS_AT_ONCE: Final = 500
_FORMAT, _VERSION = "jupyter-colophon-person", 1


@dataclass(frozen=True, slots=True)
class PersonExporter:
    """Exports what a catalog has of a person."""

    provider: StorageProvider
    audit: AuditReader

    def export_lines(self, person: str) -> Iterator[str]:
        """Return a header, then a line for each record that names the person, by kind. Raises InvalidName."""
        require_erasable_name(person)
        return self._generate_lines(PersonNames(person, generate_pseudonym()))

    def _generate_lines(self, names: PersonNames) -> Iterator[str]:
        yield encode_canonical_json({"format": _FORMAT, "version": _VERSION, "person": names.person})
        for spec in person_rows.TABLES:
            for row in self._iterate_rows(spec, names):
                yield encode_canonical_json(_describe_row(spec, row, names))
        for spec in self.provider.tx_runner.run(list_tables_of_apps, read_only=True):
            for row in self._iterate_rows(spec, names):
                yield encode_canonical_json({"kind": spec.id, **_describe_record(person_rows.select_texts(row), names)})
        for log in SEALED_LOGS:
            kind = person_logs.get_step_of_log(log)
            for row in self._iterate_log(log, names):
                yield encode_canonical_json({"kind": kind, **_describe_record(row, names)})
        # Entries have a number instead of the name.
        for line in self.audit.export_lines(AuditSelection(user=names.person)):
            yield encode_canonical_json({"kind": "audit", "record": json.loads(line), "mentions": []})

    def _iterate_rows(self, spec: TableSpec, names: PersonNames) -> Iterator[Row]:
        after: list[Any] | None = None
        while True:
            read = partial(person_rows.list_rows_with_names, spec=spec, names=names, after=after)
            rows, after = self.provider.tx_runner.run(read, read_only=True)
            yield from rows
            if after is None:
                return

    def _iterate_log(self, log: SealedLog, names: PersonNames) -> Iterator[Row]:
        after = 0
        while rows := self.provider.tx_runner.run(partial(_read_log, log, after), read_only=True):
            yield from (
                row
                for row in rows
                if person_logs.is_change_of_description(row, names) or names.replace_in_row(row) != row
            )
            after = rows[-1]["seq"]


def _read_log(log: SealedLog, after: int, tx: TableContext) -> list[Row]:
    return log.read_rows(tx, after, _ROWS_AT_ONCE)


def _describe_row(spec: TableSpec, row: Row, names: PersonNames) -> dict[str, Any]:
    document = {"kind": spec.id, **_describe_record(row, names)}
    is_whole = person_rows.is_description_of_person(spec.id, row, names) or row.get("aspect") in _WHOLE_ASPECTS
    if spec.id == tables.ASPECTS.id and is_whole and row["value"] is not None:
        document["value"] = parse_stored_json(row["value"])
    return document


def _describe_record(row: Row, names: PersonNames) -> dict[str, Any]:
    """Return the fields of a row that are not values, and what names the person in it."""
    fields = {name: value for name, value in row.items() if name not in _OMITTED and not isinstance(value, bytes)}
    return {
        "record": {name: value for name, value in fields.items() if value is not None},
        "mentions": [asdict(mention) for mention in names.list_mentions(row)],
    }
