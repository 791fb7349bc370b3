"""Which statement of a run an access belongs to (decision 17).

All that a statement reads flows into all that it writes, and into nothing else. The index of lineage (`spi.EdgeIndex`)
has an access of a statement twice: between data and program, in a mode of its own, for what is drawn, counted and listed;
and between data and a *flow*, which stands for the statement in all runs of the program, for what is walked. An access
without a statement is there once: such accesses of a program flow into each other, and into those of no statement.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from jupyter_colophon.storage.spi import Link, Range, Row, TableContext

TABLE: Final = "access_statements"
#: The modes of the index for accesses of statements: between data and program, and between data and flow.
PROGRAM_READ, PROGRAM_WRITE, FLOW_READ, FLOW_WRITE = "statement-read", "statement-write", "flow-read", "flow-write"
_OF_PROGRAM: Final[Mapping[str, str]] = {"read": PROGRAM_READ, "write": PROGRAM_WRITE}
_OF_FLOW: Final[Mapping[str, str]] = {"read": FLOW_READ, "write": FLOW_WRITE}
_ACCESS: Final = {PROGRAM_READ: "read", PROGRAM_WRITE: "write", FLOW_READ: "read", FLOW_WRITE: "write"}
_TO_PROGRAM: Final = {FLOW_READ: PROGRAM_READ, FLOW_WRITE: PROGRAM_WRITE}
#: No URN holds it (spec ID-3).
_MARK: Final = "\u241f"
_DIGITS: Final = 16
_FIELDS: Final = ("run", "data", "mode", "component", "statement")


def name_statement(touched: Iterable[tuple[str, str]]) -> str:
    """Return the name of a statement by what it touches: pairs of mode and data.

    The same statement has the same name in each run, and two that differ in their data never share one.
    """
    text = "\n".join(f"{mode} {data}" for mode, data in sorted(set(touched)))
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def flow_of(program: str, statement: str) -> str:
    """Return the flow of a program's statement."""
    return f"{program}{_MARK}{statement}"


def program_of_flow(node: str) -> str:
    """Return the program of a flow; any other node is returned unchanged."""
    return node.partition(_MARK)[0]


def statement_of_flow(node: str) -> str:
    """Return the statement of a flow; "" for any other node."""
    return node.partition(_MARK)[2]


def access_mode(mode: str) -> str:
    """Return the mode of the access that a mode of the index stands for."""
    return _ACCESS.get(mode, mode)


def program_mode(mode: str) -> str:
    """Return the mode between data and program for a mode between data and flow."""
    return _TO_PROGRAM.get(mode, mode)


def note_statement(tx: TableContext, access: Row, statement: str, *, was_known: bool) -> None:
    """Note that an access belongs to a statement, or with "" to none, beside those that it belongs to already."""
    table, key = tx.table(TABLE), tuple(access[name] for name in _FIELDS[:-1])
    has_statements = was_known and any(True for _ in table.scan(Range.prefix(*key), 1))
    if statement and was_known and not has_statements:
        # What was recorded before belongs to no statement, and goes on to be there.
        table.upsert(dict(zip(_FIELDS, (*key, ""), strict=True)))
    if statement or has_statements:
        table.upsert(dict(zip(_FIELDS, (*key, statement), strict=True)))


def links_of_access(run: Row, access: Row, statements: Iterable[str]) -> Iterator[Link]:
    """Return what lineage has to know of an access that belongs to these statements ("" stands for none)."""
    span = (run["start"], run["stop"])
    for statement in statements:
        place, mode = (access["data"], run["program"]), access["mode"]
        if not statement:
            yield Link(*place, mode, run["urn"], access["component"], *span)
            continue
        yield Link(*place, _OF_PROGRAM[mode], run["urn"], access["component"], *span)
        flow = flow_of(run["program"], statement)
        yield Link(access["data"], flow, _OF_FLOW[mode], run["urn"], access["component"], *span)


def links_of_run(tx: TableContext, run: Row) -> set[Link]:
    """Return what lineage has to know of a run."""
    statements = statements_of_run(tx, run["urn"])
    return {
        link
        for row in tx.table("accesses").scan(Range.prefix(run["urn"]))
        for link in links_of_access(run, row, statements.get((row["data"], row["mode"], row["component"]), ("",)))
    }


def add_links(tx: TableContext, links: Iterable[Link]) -> None:
    """Write links into lineage, in an order that does not depend on a set's."""
    for link in sorted(links, key=lambda link: (link.data, link.mode, link.program, link.component)):
        tx.edges.add(link.data, link.program, link.mode, link.run, link.component, link.start, link.stop)


def statements_of_run(tx: TableContext, run: str) -> dict[tuple[str, str, str], list[str]]:
    """Return the statements of a run's accesses by data, mode and component; those of none are left out."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for row in tx.table(TABLE).scan(Range.prefix(run)):
        found.setdefault((row["data"], row["mode"], row["component"]), []).append(row["statement"])
    return found


def statements_of_accesses(tx: TableContext, accesses: Sequence[tuple[str, str, str]]) -> set[str]:
    """Return the statements of accesses, each given by run, data and mode."""
    rows = tx.table(TABLE).multi_scan([Range.prefix(*access) for access in sorted(accesses)])
    return {row["statement"] for row in rows if row["statement"]}
