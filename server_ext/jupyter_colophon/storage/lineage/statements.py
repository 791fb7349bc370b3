"""Assign accesses to the statements of a run (decision 17).

Everything that a statement reads flows into everything that it writes, and into nothing else. The lineage index
(`spi.EdgeIndex`) has each access of a statement twice: between data and program, in a separate mode, for display,
counts and lists; and between data and a *flow*, which represents the statement in all runs of the program, for
traversal. An access without a statement is stored once: such accesses of a program flow into each other, but not into
those of a statement.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from jupyter_colophon.storage.spi import AccessLink, Range, Row, TableContext

TABLE: Final = "access_statements"
#: The modes of the index for accesses of statements: between data and program, and between data and flow.
PROGRAM_READ, PROGRAM_WRITE, FLOW_READ, FLOW_WRITE = "statement-read", "statement-write", "flow-read", "flow-write"
#: The modes between data and flow.
FLOW_MODES: Final = frozenset({FLOW_READ, FLOW_WRITE})
_OF_PROGRAM: Final[Mapping[str, str]] = {"read": PROGRAM_READ, "write": PROGRAM_WRITE}
_OF_FLOW: Final[Mapping[str, str]] = {"read": FLOW_READ, "write": FLOW_WRITE}
_ACCESS: Final = {PROGRAM_READ: "read", PROGRAM_WRITE: "write", FLOW_READ: "read", FLOW_WRITE: "write"}
_TO_PROGRAM: Final = {FLOW_READ: PROGRAM_READ, FLOW_WRITE: PROGRAM_WRITE}
#: No URN contains it (spec ID-3).
_MARK: Final = "\u241f"
_DIGITS: Final = 16
_FIELDS: Final = ("run", "data", "mode", "component", "statement")


def derive_statement_name(accesses: Iterable[tuple[str, str]]) -> str:
    """Return the name of a statement, derived from its accesses: pairs of mode and data.

    The same statement has the same name in each run, and statements with different data have different names.
    """
    text = "\n".join(f"{mode} {data}" for mode, data in sorted(set(accesses)))
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def build_flow_node(program: str, statement: str) -> str:
    """Return the flow of a program's statement."""
    return f"{program}{_MARK}{statement}"


def get_program_of_node(node: str) -> str:
    """Return the program of a flow; any other node is returned unchanged."""
    return node[: node.index(_MARK)] if _MARK in node else node


def get_statement_of_node(node: str) -> str:
    """Return the statement of a flow; "" for any other node."""
    at = node.find(_MARK)
    return "" if at < 0 else node[at + 1 :]


def to_access_mode_of_index(mode: str) -> str:
    """Return the mode of the access that a mode of the index represents."""
    return _ACCESS.get(mode, mode)


def to_program_mode_of_flow(mode: str) -> str:
    """Return the mode between data and program for a mode between data and flow."""
    return _TO_PROGRAM.get(mode, mode)


def record_access_in_statement(tx: TableContext, access: Row, statement: str, *, was_known: bool) -> None:
    """Record that an access belongs to a statement, or with "" to none, in addition to its other statements."""
    table, key = tx.get_table(TABLE), tuple(access[name] for name in _FIELDS[:-1])
    has_statements = was_known and any(True for _ in table.scan(Range.prefix(*key), 1))
    if statement and was_known and not has_statements:
        # Accesses that were recorded before belong to no statement and stay so.
        table.upsert(dict(zip(_FIELDS, (*key, ""), strict=True)))
    if statement or has_statements:
        table.upsert(dict(zip(_FIELDS, (*key, statement), strict=True)))


def derive_links_of_access(run: Row, access: Row, statements: Iterable[str]) -> Iterator[AccessLink]:
    """Return the lineage links of an access that belongs to these statements ("" means none)."""
    span = (run["start"], run["stop"])
    for statement in statements:
        place, mode = (access["data"], run["program"]), access["mode"]
        if not statement:
            yield AccessLink(*place, mode, run["urn"], access["component"], *span)
            continue
        yield AccessLink(*place, _OF_PROGRAM[mode], run["urn"], access["component"], *span)
        flow = build_flow_node(run["program"], statement)
        yield AccessLink(access["data"], flow, _OF_FLOW[mode], run["urn"], access["component"], *span)


def derive_links_of_run(tx: TableContext, run: Row) -> set[AccessLink]:
    """Return the lineage links of a run."""
    statements = read_run_statements(tx, run["urn"])
    return {
        link
        for row in tx.get_table("accesses").scan(Range.prefix(run["urn"]))
        for link in derive_links_of_access(
            run, row, statements.get((row["data"], row["mode"], row["component"]), ("",))
        )
    }


def add_lineage_links(tx: TableContext, links: Iterable[AccessLink]) -> None:
    """Add links to lineage in a deterministic order."""
    for link in sorted(links, key=lambda link: (link.data, link.mode, link.program, link.component)):
        tx.edges.record_access(link.data, link.program, link.mode, link.run, link.component, link.start, link.stop)


def read_run_statements(tx: TableContext, run: str) -> dict[tuple[str, str, str], list[str]]:
    """Return the statements of a run's accesses by data, mode and component; those of none are left out."""
    statements: dict[tuple[str, str, str], list[str]] = {}
    for row in tx.get_table(TABLE).scan(Range.prefix(run)):
        statements.setdefault((row["data"], row["mode"], row["component"]), []).append(row["statement"])
    return statements


def read_access_statements(tx: TableContext, accesses: Sequence[tuple[str, str, str]]) -> set[str]:
    """Return the statements of accesses, each given by run, data and mode."""
    rows = tx.get_table(TABLE).scan_ranges([Range.prefix(*access) for access in sorted(accesses)])
    return {row["statement"] for row in rows if row["statement"]}
