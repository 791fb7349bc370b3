"""Lineage on PostgreSQL: each access of a run, and a roll-up of accesses that finds neighbours quickly.

The tables and queries are those on SQLite (`storage/sqlite/edges.py`), in PostgreSQL's dialect.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Literal

from jupyter_colophon.core.lineage.graph import TimeWindow
from jupyter_colophon.storage.postgresql.dialect import DIALECT
from jupyter_colophon.storage.postgresql.execute import Execute, ResultSet
from jupyter_colophon.storage.spi import AccessLink, Edge
from jupyter_colophon.storage.sql.edges import (
    ALWAYS,
    COMPONENTS_READ,
    Access,
    Triple,
    build_edge_of_accesses,
    get_window_bounds,
)


def _build_hashed_term_sql(term: str) -> str:
    """Return the SQL of a URN, a run or a component as all indexes here compare it; the largest index has two."""
    return DIALECT.build_comparable_term(term, "string", 2)


_URN, _REQUESTED, _RUN, _COMPONENT = (
    _build_hashed_term_sql("urn"),
    _build_hashed_term_sql("%s"),
    _build_hashed_term_sql("run"),
    _build_hashed_term_sql("component"),
)
#: `first` and `last` are starts of runs, `ended` is the latest stop of the stopped ones (or -1), and `until` is the
#: same, or the end of time while one of them runs.
CREATION = [
    """CREATE TABLE lineage_nodes (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        urn text COLLATE "C" NOT NULL)""",
    f"CREATE UNIQUE INDEX lineage_nodes_by_urn ON lineage_nodes ({_URN})",
    """CREATE TABLE lineage_edges (data bigint, program bigint, mode text COLLATE "C", first bigint, last bigint,
        ended bigint, until bigint, runs bigint, PRIMARY KEY (data, program, mode))""",
    "CREATE INDEX lineage_edges_by_program ON lineage_edges (program, data, mode)",
    """CREATE TABLE lineage_runs (data bigint NOT NULL, program bigint NOT NULL, mode text COLLATE "C" NOT NULL,
        start bigint NOT NULL, run text COLLATE "C" NOT NULL, component text COLLATE "C" NOT NULL, stop bigint)""",
    f"CREATE UNIQUE INDEX lineage_runs_by_edge ON lineage_runs (data, program, mode, start, {_RUN}, {_COMPONENT})",
    f"CREATE INDEX lineage_runs_by_run ON lineage_runs ({_RUN})",
    f"CREATE INDEX lineage_runs_by_time ON lineage_runs (data, start, {_RUN})",
    "CREATE INDEX lineage_runs_open ON lineage_runs (data, program, mode) WHERE stop IS NULL",
]
_NODE = f"SELECT id FROM lineage_nodes WHERE {_URN} = {_REQUESTED}"
_NODES = f"""SELECT n.urn, n.id FROM unnest(%s::text[]) AS k (value)
    JOIN lineage_nodes AS n ON {_build_hashed_term_sql("n.urn")} = {_build_hashed_term_sql("k.value")}"""
_ADD_NODE = "INSERT INTO lineage_nodes (urn) VALUES (%s) RETURNING id"
_THE_EDGE = "data = %s AND program = %s AND mode = %s"
_KNOWN = f"SELECT stop FROM lineage_runs WHERE {_THE_EDGE} AND start = %s AND {_RUN} = {_REQUESTED} LIMIT 1"
_ADD_RUN = f"""INSERT INTO lineage_runs (data, program, mode, start, run, component, stop)
    VALUES (%s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (data, program, mode, start, {_RUN}, {_COMPONENT}) DO UPDATE SET stop = excluded.stop"""
_ADD = """INSERT INTO lineage_edges AS e (data, program, mode, first, last, ended, until, runs)
    VALUES (%s, %s, %s, %s, %s, %s, %s, 1)
    ON CONFLICT (data, program, mode) DO UPDATE SET first = LEAST(e.first, excluded.first),
        last = GREATEST(e.last, excluded.last), ended = GREATEST(e.ended, excluded.ended),
        until = GREATEST(e.until, excluded.until), runs = e.runs + 1"""
_EDGES_OF_RUN = f"SELECT DISTINCT data, program, mode FROM lineage_runs WHERE {_RUN} = {_REQUESTED}"
_HAD_STOPPED = f"SELECT 1 FROM lineage_runs WHERE {_RUN} = {_REQUESTED} AND stop IS NOT NULL LIMIT 1"
_STOP = f"UPDATE lineage_runs SET stop = %s WHERE {_RUN} = {_REQUESTED}"
_ENDED = f"""UPDATE lineage_edges AS e SET ended = GREATEST(ended, %s), until = CASE WHEN EXISTS (
        SELECT 1 FROM lineage_runs AS r
        WHERE r.data = e.data AND r.program = e.program AND r.mode = e.mode AND r.stop IS NULL)
    THEN {2**63 - 1} ELSE GREATEST(ended, %s) END WHERE {_THE_EDGE}"""
# An access of unknown mode counts only if the same run and component have no known mode (spec LINEAGE-5).
_STANDS = """(r.mode <> 'unknown' OR NOT EXISTS (SELECT 1 FROM lineage_runs AS k WHERE k.data = r.data
    AND k.program = r.program AND k.mode IN ('both', 'read', 'write', 'statement-read', 'statement-write') AND k.start = r.start AND k.run = r.run
    AND k.component = r.component))"""
_ITS_RUNS = "SELECT 1 FROM lineage_runs AS r WHERE r.data = e.data AND r.program = e.program AND r.mode = e.mode"
_EVER = f"(e.mode <> 'unknown' OR EXISTS ({_ITS_RUNS} AND {_STANDS}))"
# If all its runs began before the window's end, an edge is in the window if one of them lasted until its start.
_WITHIN = f"""e.first < %(end)s AND e.until >= %(start)s AND (e.mode <> 'unknown' AND e.last < %(end)s
    OR EXISTS ({_ITS_RUNS} AND r.start < %(end)s AND (r.stop IS NULL OR r.stop >= %(start)s) AND {_STANDS}))"""
_MODES = "e.mode = ANY(%(modes)s::text[])"
_KEYS = f"""unnest(%(keys)s::text[]) WITH ORDINALITY AS k (value, at)
    JOIN lineage_nodes AS n ON {_build_hashed_term_sql("n.urn")} = {_build_hashed_term_sql("k.value")}"""
_AROUND = f"""SELECT k.value, o.urn, e.mode FROM {_KEYS} JOIN lineage_edges AS e ON e.{{side}} = n.id
    JOIN lineage_nodes AS o ON o.id = e.{{other}}
    WHERE {_MODES} AND {{window}} LIMIT %(limit)s"""
_DEGREES = f"""SELECT k.value, (SELECT COUNT(*) FROM (SELECT DISTINCT e.{{other}} FROM lineage_edges AS e
        WHERE e.{{side}} = n.id AND {_MODES} AND {{window}} LIMIT %(limit)s) AS partners) FROM {_KEYS}"""
_RUNS = """FROM lineage_runs AS r WHERE r.data = %s AND r.program = %s AND r.mode = %s
    AND r.start < %s AND (r.stop IS NULL OR r.stop >= %s)"""
_NEWEST = f"""SELECT e.at, r.run, r.start, r.stop, r.component
    FROM unnest(%s::bigint[], %s::bigint[], %s::text[]) WITH ORDINALITY AS e (data, program, mode, at),
    LATERAL (SELECT run, start, stop, component FROM lineage_runs AS r
        WHERE r.data = e.data AND r.program = e.program AND r.mode = e.mode
            AND r.start < %s AND (r.stop IS NULL OR r.stop >= %s) AND {_STANDS}
        ORDER BY start DESC, run DESC LIMIT %s) AS r
    ORDER BY e.at, r.start DESC, r.run DESC"""
_NEWEST_NAMES = f"SELECT DISTINCT run, start {_RUNS} AND {_STANDS} ORDER BY start DESC, run DESC LIMIT %s"
_TOTALS = f"""SELECT COUNT(DISTINCT run), MIN(start), MAX(COALESCE(stop, {2**63 - 1})) {_RUNS} AND {_STANDS}"""
_COMPONENTS = f"SELECT DISTINCT component {_RUNS} AND {_STANDS} AND component <> '' ORDER BY component LIMIT %s"
_RUNS_OF = f"""SELECT DISTINCT start, run FROM lineage_runs WHERE data = ({_NODE})
    AND (start, run) < (%s, %s) AND start < %s AND (stop IS NULL OR stop >= %s)
    ORDER BY start DESC, run DESC LIMIT %s"""
_OF_RUN = f"""SELECT d.urn, p.urn, r.mode, r.run, r.component, r.start, r.stop FROM lineage_runs AS r
    JOIN lineage_nodes AS d ON d.id = r.data JOIN lineage_nodes AS p ON p.id = r.program WHERE {_RUN} = {_REQUESTED}"""
_RUNS_AFTER = (
    f"""SELECT DISTINCT ON ({_RUN}) run FROM lineage_runs WHERE {_RUN} > {_REQUESTED} ORDER BY {_RUN} LIMIT %s"""
)
_FORGET = f"DELETE FROM lineage_runs WHERE {_RUN} = {_REQUESTED}"
_ROLLED_UP = f"""SELECT MIN(start) AS first, MAX(start) AS last, COALESCE(MAX(stop), -1) AS ended,
    MAX(COALESCE(stop, {2**63 - 1})) AS until, COUNT(DISTINCT run) AS runs FROM lineage_runs AS r
    WHERE r.data = {{data}} AND r.program = {{program}} AND r.mode = {{mode}}"""
_STALE = f"""SELECT d.urn, p.urn, s.mode FROM (
        SELECT e.data, e.program, e.mode FROM lineage_edges AS e,
            LATERAL ({_ROLLED_UP.format(data="e.data", program="e.program", mode="e.mode")}) AS t
            WHERE (e.first, e.last, e.ended, e.until, e.runs)
                IS DISTINCT FROM (t.first, t.last, t.ended, t.until, t.runs)
        UNION SELECT r.data, r.program, r.mode FROM lineage_runs AS r WHERE NOT EXISTS (SELECT 1
            FROM lineage_edges AS e WHERE e.data = r.data AND e.program = r.program AND e.mode = r.mode)) AS s
    JOIN lineage_nodes AS d ON d.id = s.data JOIN lineage_nodes AS p ON p.id = s.program LIMIT %s"""
_EDGES_OF = "SELECT data, program, mode FROM lineage_edges WHERE {side} = %s"
_COPY = f"""INSERT INTO lineage_runs (data, program, mode, start, run, component, stop)
    SELECT %s, %s, mode, start, run, component, stop FROM lineage_runs WHERE {_THE_EDGE} ON CONFLICT DO NOTHING"""
_CLEAR = f"DELETE FROM lineage_runs WHERE {_THE_EDGE}"
_UNROLL = f"DELETE FROM lineage_edges WHERE {_THE_EDGE}"
_ROLL_UP = _ROLLED_UP.format(data="%s", program="%s", mode="%s")
_RENEW = """INSERT INTO lineage_edges (data, program, mode, first, last, ended, until, runs)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"""
#: An edge with fewer accesses than this is read at once and aggregated in Python.
_FEW = 50

Side = Literal["data", "program"]


class PostgresEdges:
    """Lineage in one transaction (`spi.EdgeIndex`)."""

    def __init__(self, execute: Execute, lock_log: Callable[[], None]) -> None:
        """`lock_log` excludes transactions that hold the lock of the change log, until this one ends."""
        self._execute, self._lock_log = execute, lock_log

    def record_access(
        self, data: str, program: str, mode: str, run: str, component: str, start: int, stop: int | None
    ) -> None:
        """Record that a run accessed data. Recording it again only changes `stop`."""
        execute = self._execute
        edge = (self._get_or_create_node_number(data), self._get_or_create_node_number(program), mode)
        existing = execute(_KNOWN, (*edge, start, run)).fetchone()
        execute(_ADD_RUN, (*edge, start, run, component, stop))
        if existing is None:
            execute(_ADD, (*edge, start, start, -1 if stop is None else stop, ALWAYS if stop is None else stop))
        elif existing[0] != stop:
            self._rebuild_roll_up_row(*edge)

    def set_run_stop(self, run: str, stop: int | None) -> None:
        """Set the end of a run; None means that it is running."""
        execute = self._execute
        edges = list(execute(_EDGES_OF_RUN, (run,)))
        again = execute(_HAD_STOPPED, (run,)).fetchone()
        execute(_STOP, (stop, run))
        for edge in edges:
            if again or stop is None:
                self._rebuild_roll_up_row(*edge)
            else:
                execute(_ENDED, (stop, stop, *edge))

    def find_neighbours(
        self, side: Side, keys: Sequence[str], modes: Sequence[str], window: TimeWindow, limit: int
    ) -> list[Triple]:
        """Return at most `limit` triples (data, program, mode) with one end in `keys`."""
        rows = self._run_neighbour_query(_AROUND, side, keys, modes, window, limit)
        if side == "data":
            return [(key, other, mode) for key, other, mode in rows]
        return [(other, key, mode) for key, other, mode in rows]

    def count_neighbours(
        self, side: Side, keys: Sequence[str], modes: Sequence[str], window: TimeWindow, cap: int
    ) -> dict[str, int]:
        """Return the number of distinct neighbours of each of these keys, counted up to `cap`."""
        counts = dict(self._run_neighbour_query(_DEGREES, side, keys, modes, window, cap))
        return {key: counts.get(key, 0) for key in keys}

    def read_edges(self, triples: Sequence[Triple], window: TimeWindow, runs: int) -> list[Edge]:
        """Return these edges in this order, each with its newest `runs` runs."""
        ends = {end for data, program, _ in triples for end in (data, program)}
        numbers = dict(self._execute(_NODES, (list(ends),)))
        edges = [(numbers.get(data), numbers.get(program), mode) for data, program, mode in triples]
        most, accesses = max(_FEW, runs + 1), defaultdict[int, list[Access]](list)
        # One query for all: ten thousand single queries would be as many round trips.
        columns = [list(part) for part in zip(*edges, strict=True)] or [[], [], []]
        for at, run, start, stop, component in self._execute(_NEWEST, (*columns, *get_window_bounds(window), most)):
            accesses[at].append((run, start, stop, component))
        return [
            build_edge_of_accesses(triple, accesses[at], runs)
            if len(accesses[at]) < most
            else self._read_edge_with_many_runs(triple, edge, window, runs)
            for at, (triple, edge) in enumerate(zip(triples, edges, strict=True), 1)
        ]

    def list_runs_of_data(
        self, data: str, window: TimeWindow, limit: int, before: tuple[int, str] | None
    ) -> list[tuple[int, str]]:
        """Return (start, run) of the runs that accessed data, newest first, after the position `before`."""
        position = before or (ALWAYS, "")
        rows = self._execute(_RUNS_OF, (data, *position, *get_window_bounds(window), limit))
        return [(start, run) for start, run in rows]

    def list_links_of_run(self, run: str) -> set[AccessLink]:
        """Return all links of a run."""
        return {AccessLink(*values) for values in self._execute(_OF_RUN, (run,))}

    def list_runs_after(self, run: str, limit: int) -> list[str]:
        """Return the runs that have links, by URN, after this one."""
        return [urn for (urn,) in self._execute(_RUNS_AFTER, (run, limit))]

    def delete_run_links(self, run: str) -> None:
        """Delete a run with all its links."""
        edges = list(self._execute(_EDGES_OF_RUN, (run,)))
        self._execute(_FORGET, (run,))
        for edge in edges:
            self._rebuild_roll_up_row(*edge)

    def rename_node(self, side: Side, old: str, new: str) -> None:
        """Replace `old` by `new` in all links, merging them with existing links of `new`."""
        execute, number = self._execute, self._get_or_create_node_number(new)
        for data, program, mode in list(execute(_EDGES_OF.format(side=side), (self._get_or_create_node_number(old),))):
            ends = (number, program) if side == "data" else (data, number)
            execute(_COPY, (*ends, data, program, mode))
            execute(_CLEAR, (data, program, mode))
            self._rebuild_roll_up_row(data, program, mode)
            self._rebuild_roll_up_row(*ends, mode)

    def find_stale_roll_ups(self, limit: int) -> list[Triple]:
        """Return at most `limit` triples whose roll-up differs from their accesses."""
        return [(data, program, mode) for data, program, mode in self._execute(_STALE, (limit,))]

    def rebuild_roll_up(self, data: str, program: str, mode: str) -> None:
        """Rebuild the roll-up of one triple from its accesses."""
        self._rebuild_roll_up_row(self._get_or_create_node_number(data), self._get_or_create_node_number(program), mode)

    def _rebuild_roll_up_row(self, *edge: int | str) -> None:
        execute = self._execute
        execute(_UNROLL, edge)
        *rolled_up, runs = execute(_ROLL_UP, edge).fetchone()
        if runs:
            execute(_RENEW, (*edge, *rolled_up, runs))

    def _get_or_create_node_number(self, urn: str) -> int:
        row = self._execute(_NODE, (urn,)).fetchone()
        if row is None:
            # Another transaction may add the same node, which many entities share.
            self._lock_log()
            row = self._execute(_NODE, (urn,)).fetchone() or self._execute(_ADD_NODE, (urn,)).fetchone()
        return int(row[0])

    def _run_neighbour_query(
        self, statement: str, side: Side, keys: Sequence[str], modes: Sequence[str], window: TimeWindow, limit: int
    ) -> ResultSet:
        other = "program" if side == "data" else "data"
        end, start = get_window_bounds(window)
        bound: dict[str, Any] = {"keys": list(keys), "modes": list(modes), "limit": limit, "start": start, "end": end}
        within = _EVER if window.is_unbounded else _WITHIN
        return self._execute(statement.format(side=side, other=other, window=within), bound)

    def _read_edge_with_many_runs(
        self, triple: Triple, edge: tuple[int | None, int | None, str], window: TimeWindow, runs: int
    ) -> Edge:
        execute, parameters = self._execute, (*edge, *get_window_bounds(window))
        count, start, stop = execute(_TOTALS, parameters).fetchone()
        newest = tuple(run for run, _ in execute(_NEWEST_NAMES, (*parameters, runs)))
        components = tuple(name for (name,) in execute(_COMPONENTS, (*parameters, COMPONENTS_READ)))
        return Edge(*triple, newest, count, start, None if stop == ALWAYS else stop, components)
