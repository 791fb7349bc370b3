"""Store the erasures of people: those that run, with the position that each has reached, and a record of ended ones."""

import json
from typing import Any, Final

from jupyter_colophon.core.privacy.erasure import FINISHED, Erasure
from jupyter_colophon.storage.spi import Range, Row, TableContext, TableSpec

#: `person` is null after the names were replaced. `position` is JSON: where the step continues. `changed` is JSON.
ERASURES: Final = TableSpec(
    "erasures",
    {
        "pseudonym": "string",
        "person": "string",
        "requested_by": "string",
        "started": "long",
        "finished": "long",
        "step": "string",
        "position": "string",
        "changed": "string",
        "problem": "string",
    },
    ("pseudonym",),
)


def list_erasures(tx: TableContext) -> list[Erasure]:
    """Return all erasures, the newest first."""
    found = [_parse_row(row) for row in tx.get_table(ERASURES.id).scan(Range())]
    return sorted(found, key=lambda erasure: (erasure.started, erasure.pseudonym), reverse=True)


def find_erasure(tx: TableContext, pseudonym: str) -> Erasure | None:
    """Return an erasure; None if there is no such erasure."""
    row = tx.get_table(ERASURES.id).read((pseudonym,))
    return None if row is None else _parse_row(row)


def find_unfinished_erasure(tx: TableContext, person: str) -> Erasure | None:
    """Return the running erasure of a person; None if there is none."""
    return next((erasure for erasure in list_erasures(tx) if erasure.person == person), None)


def find_current_erasure(tx: TableContext) -> Erasure | None:
    """Return the oldest erasure that has not ended and has no problem: they run one after the other."""
    running = [erasure for erasure in list_erasures(tx) if not erasure.is_finished and not erasure.problem]
    return running[-1] if running else None


def add_erasure(tx: TableContext, erasure: Erasure) -> None:
    """Add an erasure that begins."""
    tx.get_table(ERASURES.id).upsert(
        {
            "pseudonym": erasure.pseudonym,
            "person": erasure.person,
            "requested_by": erasure.requested_by,
            "started": erasure.started,
            "step": erasure.step,
            "changed": "{}",
        }
    )


def read_position(tx: TableContext, pseudonym: str) -> Any:
    """Return the position of the current step; None at its beginning."""
    row = tx.get_table(ERASURES.id).read((pseudonym,), ("position",))
    return None if row is None or row["position"] is None else json.loads(row["position"])


def record_progress(tx: TableContext, erasure: Erasure, changed: int, step: str, position: Any) -> None:
    """Record what a part of the erasure's step has changed, and where the erasure continues."""
    counts = dict(erasure.changed)
    if changed:
        counts[erasure.step] = counts.get(erasure.step, 0) + changed
    tx.get_table(ERASURES.id).update(
        {
            "pseudonym": erasure.pseudonym,
            "step": step,
            "position": None if position is None else json.dumps(position),
            "changed": json.dumps(counts),
        }
    )


def forget_person(tx: TableContext, pseudonym: str) -> None:
    """Delete the name of the person, whose names were replaced everywhere."""
    tx.get_table(ERASURES.id).update({"pseudonym": pseudonym, "person": None})


def record_end(tx: TableContext, pseudonym: str, now: int) -> None:
    """Record that an erasure has ended."""
    ended: Row = {"pseudonym": pseudonym, "step": FINISHED, "position": None, "finished": now}
    tx.get_table(ERASURES.id).update(ended)


def record_problem(tx: TableContext, pseudonym: str, problem: str | None) -> None:
    """Record why an erasure has stopped, or with None that it continues."""
    tx.get_table(ERASURES.id).update({"pseudonym": pseudonym, "problem": problem})


def _parse_row(row: Row) -> Erasure:
    return Erasure(
        pseudonym=row["pseudonym"],
        requested_by=row["requested_by"],
        started=row["started"],
        step=row["step"],
        person=row["person"] or "",
        finished=row["finished"],
        changed=json.loads(row["changed"]),
        problem=row["problem"] or "",
    )
