"""The audit: entries in the order in which they were stored, sealed by a chain of their own (storage/changes/signed_chain.py).

Entries have a number instead of a person's name. So a person can be renamed while the chain stays verifiable.
"""

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from jupyter_colophon.core.audit import AuditEntry, AuditEvent, AuditSelection, TokenOfEntry
from jupyter_colophon.core.service_token import ACCOUNT_PREFIX
from jupyter_colophon.storage.audit_tables import AUDIT_ENTRIES, AUDIT_PERSONS, AUDIT_SEALS
from jupyter_colophon.storage.changes.signed_chain import SealedLog
from jupyter_colophon.storage.lineage.runs import find_program_and_run_of_kernel, find_program_of_run
from jupyter_colophon.storage.spi import FieldValue, Range, Row, StructuredTable, TableContext

# Never change this: sealed entries stay verifiable.
_SEALED: Final = tuple(AUDIT_ENTRIES.fields)
#: How far the order of entries may differ from that of their times: processes store entries up to a second later, and
#: later only while the store is unavailable.
_DISORDER_MS: Final = 3_600_000
#: How many entries are examined for a page: with rare ones, a page may have fewer than were asked for.
_EXAMINED_MAX: Final = 2_000


def _get_entries(tx: TableContext) -> StructuredTable:
    return tx.get_table(AUDIT_ENTRIES.id)


def append_entries(tx: TableContext, events: Sequence[AuditEvent]) -> None:
    """Append entries. Kernels are resolved to the program and run that they execute now."""
    number = get_newest_number(tx)
    persons = {name: _find_or_add_person(tx, name) for name in {event.principal.user for event in events}}
    kernels = {event.principal.via for event in events if event.principal.via and event.principal.token is None}
    running = {kernel: find_program_and_run_of_kernel(tx, kernel) for kernel in kernels}
    rows: list[Row] = []
    for event in events:
        number += 1
        program, run = running.get(event.principal.via, (None, None)) if event.principal.via else (None, None)
        if event.run is not None:
            program, run = find_program_of_run(tx, event.run), event.run
        rows.append(
            {
                "seq": number,
                "time": event.time,
                "person": persons[event.principal.user],
                "via": event.principal.via,
                "token": event.principal.token,
                "program": program,
                "run": run,
                "action": event.action,
                "outcome": event.outcome,
                "urn": event.urn,
                "detail": event.detail,
                "sensitive": event.sensitive,
                "count": event.count,
            }
        )
    _get_entries(tx).upsert_many(rows)


def rename_person(tx: TableContext, name: str, new_name: str) -> int:
    """Replace the name of a person or account in all entries; return the number of replaced names.

    Sealed entries stay unchanged: they have numbers of persons. A later entry of the earlier name gets a new number.
    """
    table = tx.get_table(AUDIT_PERSONS.id)
    rows = list(table.scan_index("name", name))
    for row in rows:
        table.update(row | {"name": new_name})
    return len(rows)


def get_newest_number(tx: TableContext) -> int:
    """Return the number of the newest entry, 0 if there is none."""
    return next((int(row["seq"]) for row in _get_entries(tx).scan(Range(), 1, "desc")), 0)


def list_urns_of_changes_since(tx: TableContext, time: int, limit: int) -> set[str]:
    """Return the entities of changes since a time (ms), among the newest entries."""
    rows = _get_entries(tx).scan(Range(), limit, "desc")
    return {row["urn"] for row in rows if row["time"] >= time and row["action"] == "change"}


def list_entries(
    tx: TableContext, selection: AuditSelection, before: int | None, limit: int
) -> tuple[list[AuditEntry], int | None]:
    """Return matching entries, newest first, and the number before which to continue; None at the end.

    A bounded number of entries is examined, so there may be fewer than `limit` although there are more.
    """
    persons = _list_persons(tx, selection.user) if selection.user else None
    if limit == 0 or (persons is not None and not persons):
        return [], None
    begin, end = _find_range_of_times(tx, selection)
    keys = Range((begin,), (min(end, before - 1 if before is not None else end),))
    filters = _choose_filters(selection, persons)
    rows: list[Row] = []
    examined, last = 0, None
    for row in _get_entries(tx).scan(keys, _EXAMINED_MAX, "desc", filters):
        examined, last = examined + 1, row["seq"]
        if _matches(row, selection, persons):
            rows.append(row)
            if len(rows) == limit:
                break
    is_end = last is None or (examined < _EXAMINED_MAX and len(rows) < limit)
    return list(_parse_rows(tx, rows)), None if is_end else last


def delete_names_without_entries(tx: TableContext) -> None:
    """Delete the names of persons of whom no entry is left."""
    table = tx.get_table(AUDIT_PERSONS.id)
    unused = [
        (row["person"],)
        for row in list(table.scan(Range()))
        if next(_get_entries(tx).scan_index("person", row["person"], 1), None) is None
    ]
    table.delete_many(unused)


def _read_rows(tx: TableContext, after: int, limit: int) -> list[Row]:
    return list(_get_entries(tx).scan(Range((after,), begin_inclusive=False), limit))


def _delete_rows_through(tx: TableContext, through: int) -> int:
    return _get_entries(tx).delete_range(Range(end=(min(through, get_newest_number(tx) - 1),)))


def _list_hashed_values(row: Row) -> list[Any]:
    return [row[name] for name in _SEALED]


#: The audit as a log with seals.
AUDIT_LOG: Final = SealedLog(
    subject="the audit",
    row_word="entry",
    rows_word="entries",
    seals=AUDIT_SEALS.id,
    purpose=b"colophon: seal of the audit\0",
    read_rows=_read_rows,
    get_newest_number=get_newest_number,
    delete_rows_through=_delete_rows_through,
    replace_rows=lambda tx, rows: _get_entries(tx).upsert_many(rows),
    list_hashed_values=_list_hashed_values,
)


def _find_or_add_person(tx: TableContext, name: str) -> str:
    table = tx.get_table(AUDIT_PERSONS.id)
    row = next(table.scan_index("name", name, 1), None)
    if row is not None:
        return str(row["person"])
    # Random, so that it does not reveal the name.
    person = secrets.token_hex(8)
    table.upsert({"person": person, "name": name})
    return person


def _list_persons(tx: TableContext, name: str) -> set[str]:
    return {row["person"] for row in tx.get_table(AUDIT_PERSONS.id).scan_index("name", name)}


def _choose_filters(selection: AuditSelection, persons: Iterable[str] | None) -> list[FieldValue]:
    """Return the filter that an index answers; the most selective one."""
    if selection.urn:
        return [FieldValue("urn", selection.urn)]
    return [FieldValue("person", person) for person in sorted(persons or ())]


def _matches(row: Row, selection: AuditSelection, persons: set[str] | None) -> bool:
    return (
        (persons is None or row["person"] in persons)
        and selection.urn in ("", row["urn"])
        and selection.program in ("", row["program"])
        and selection.run in ("", row["run"])
        and selection.action in ("", row["action"])
        and selection.outcome in ("", row["outcome"])
        and (selection.start is None or row["time"] >= selection.start)
        and (selection.end is None or row["time"] < selection.end)
    )


def _find_range_of_times(tx: TableContext, selection: AuditSelection) -> tuple[int, int]:
    """Return the numbers of the first and the last entry that may have these times."""
    newest = get_newest_number(tx)
    begin = 1 if selection.start is None else _find_first_number_at(tx, selection.start - _DISORDER_MS, newest)
    end = newest if selection.end is None else _find_first_number_at(tx, selection.end + _DISORDER_MS, newest)
    return begin, end


def _find_first_number_at(tx: TableContext, time: int, newest: int) -> int:
    """Return the number of the first entry with this time or a later one, as if entries were ordered by time."""
    low, high = 1, newest
    while low < high:
        middle = (low + high) // 2
        row = next(_get_entries(tx).scan(Range((middle,)), 1), None)
        if row is None or row["time"] >= time:
            high = middle
        else:
            low = row["seq"] + 1
    return low


def _parse_rows(tx: TableContext, rows: Sequence[Row]) -> Iterator[AuditEntry]:
    persons = sorted({row["person"] for row in rows})
    names: Mapping[str, str] = {
        row["person"]: row["name"] for row in tx.get_table(AUDIT_PERSONS.id).read_many([(key,) for key in persons])
    }
    for row in rows:
        token = None
        if row["token"] is not None:
            token = TokenOfEntry(str(row["via"]).removeprefix(ACCOUNT_PREFIX), row["token"])
        values = {name: value for name, value in row.items() if name not in ("person", "token")}
        yield AuditEntry(user=names.get(row["person"], ""), token=token, **values)
