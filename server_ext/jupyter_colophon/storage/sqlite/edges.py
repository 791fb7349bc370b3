"""Lineage on SQLite: each access of a run, and a roll-up of accesses that finds neighbours quickly.

Data and programs are stored as numbers, so that a traversal reads few pages. The roll-up is exact if the window ends
after the start of the newest run; otherwise (spec STORE-23) the accesses are read.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from sqlite3 import Cursor
from typing import Literal

from jupyter_colophon.core.lineage.graph import TimeWindow
from jupyter_colophon.storage.spi import AccessLink, Edge
from jupyter_colophon.storage.sql.edges import (
    ALWAYS,
    COMPONENTS_READ,
    Access,
    Triple,
    build_edge_of_accesses,
    get_window_bounds,
)
from jupyter_colophon.storage.sqlite.guarded import GuardedConnection

#: `first` and `last` are starts of runs, `ended` is the latest stop of the stopped ones (or -1), and `until` is the
#: same, or the end of time while one of them runs.
CREATION = [
    "CREATE TABLE IF NOT EXISTS lineage_nodes (id INTEGER PRIMARY KEY, urn TEXT NOT NULL UNIQUE)",
    """CREATE TABLE IF NOT EXISTS lineage_edges (
        data INTEGER, program INTEGER, mode TEXT, first INTEGER, last INTEGER, ended INTEGER,
        until INTEGER, runs INTEGER,
        PRIMARY KEY (data, program, mode)) WITHOUT ROWID""",
    """CREATE INDEX IF NOT EXISTS lineage_edges_by_program
        ON lineage_edges (program, data, mode, first, last, until)""",
    """CREATE TABLE IF NOT EXISTS lineage_runs (
        data INTEGER, program INTEGER, mode TEXT, start INTEGER, run TEXT, component TEXT, stop INTEGER,
        PRIMARY KEY (data, program, mode, start, run, component)) WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS lineage_runs_by_run ON lineage_runs (run)",
    "CREATE INDEX IF NOT EXISTS lineage_runs_by_time ON lineage_runs (data, start, run)",
    "CREATE INDEX IF NOT EXISTS lineage_runs_open ON lineage_runs (data, program, mode) WHERE stop IS NULL",
]
_NODE = "SELECT id FROM lineage_nodes WHERE urn = ?"
_NODES = "SELECT urn, id FROM lineage_nodes WHERE urn IN (SELECT value FROM json_each(?))"
_ADD_NODE = "INSERT INTO lineage_nodes (urn) VALUES (?)"
_THE_EDGE = "data = ? AND program = ? AND mode = ?"
_KNOWN = f"SELECT stop FROM lineage_runs WHERE {_THE_EDGE} AND start = ? AND run = ? LIMIT 1"
_ADD_RUN = """INSERT INTO lineage_runs (data, program, mode, start, run, component, stop) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET stop = excluded.stop"""
_ADD = """INSERT INTO lineage_edges (data, program, mode, first, last, ended, until, runs)
    VALUES (?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT DO UPDATE SET first = MIN(first, excluded.first),
        last = MAX(last, excluded.last), ended = MAX(ended, excluded.ended), until = MAX(until, excluded.until),
        runs = runs + 1"""
_EDGES_OF_RUN = "SELECT DISTINCT data, program, mode FROM lineage_runs WHERE run = ?"
_HAD_STOPPED = "SELECT 1 FROM lineage_runs WHERE run = ? AND stop IS NOT NULL LIMIT 1"
_STOP = "UPDATE lineage_runs SET stop = ? WHERE run = ?"
_ENDED = f"""UPDATE lineage_edges AS e SET ended = MAX(ended, ?1), until = CASE WHEN EXISTS (
        SELECT 1 FROM lineage_runs AS r INDEXED BY lineage_runs_open
        WHERE r.data = e.data AND r.program = e.program AND r.mode = e.mode AND r.stop IS NULL)
    THEN {2**63 - 1} ELSE MAX(ended, ?1) END WHERE data = ?2 AND program = ?3 AND mode = ?4"""
# An access of unknown mode counts only if the same run and component have no known mode (spec LINEAGE-5).
_STANDS = """(r.mode <> 'unknown' OR NOT EXISTS (SELECT 1 FROM lineage_runs AS k WHERE k.data = r.data
    AND k.program = r.program AND k.mode IN ('both', 'read', 'write', 'statement-read', 'statement-write') AND k.start = r.start AND k.run = r.run
    AND k.component = r.component))"""
_ITS_RUNS = "SELECT 1 FROM lineage_runs AS r WHERE r.data = e.data AND r.program = e.program AND r.mode = e.mode"
_EVER = f"(e.mode <> 'unknown' OR EXISTS ({_ITS_RUNS} AND {_STANDS}))"
# If all its runs began before the window's end, an edge is in the window if one of them lasted until its start.
_WITHIN = f"""e.first < ?4 AND e.until >= ?3 AND (e.mode <> 'unknown' AND e.last < ?4
    OR EXISTS ({_ITS_RUNS} AND r.start < ?4 AND (r.stop IS NULL OR r.stop >= ?3) AND {_STANDS}))"""
_MODES = "e.mode IN (?5, ?6, ?7, ?8, ?9, ?10)"
#: The most modes in one query.
_MODES_MOST = 6
# CROSS JOIN fixes the order of the loops: SQLite cannot estimate the number of keys.
_AROUND = f"""SELECT k.key, o.id, o.urn, e.mode FROM json_each(?1) AS k
    CROSS JOIN lineage_edges AS e ON e.{{side}} = k.value
    CROSS JOIN lineage_nodes AS o ON o.id = e.{{other}}
    WHERE {_MODES} AND {{window}} LIMIT ?2"""
_DEGREES = f"""SELECT k.key, (SELECT COUNT(*) FROM (SELECT DISTINCT e.{{other}} FROM lineage_edges AS e
    WHERE e.{{side}} = k.value AND {_MODES} AND {{window}} LIMIT ?2)) FROM json_each(?1) AS k"""
_RUNS = """FROM lineage_runs AS r WHERE r.data = ? AND r.program = ? AND r.mode = ?
    AND r.start < ? AND (r.stop IS NULL OR r.stop >= ?)"""
_NEWEST = f"SELECT run, start, stop, component {_RUNS} ORDER BY start DESC, run DESC LIMIT ?"
_NEWEST_UNKNOWN = f"SELECT run, start, stop, component {_RUNS} AND {_STANDS} ORDER BY start DESC, run DESC LIMIT ?"
#: The number of bits for the number of a node in a key that has the numbers of both ends of an edge.
_NODE_BITS = 31
#: The accesses of edges of one mode by their place in a list, without those of edges with many runs. Keys that are
#: lists, to be taken apart by `json_extract`, would double the time.
_NEWEST_OF_EDGES = f"""SELECT k.key, e.runs >= ?4, r.run, r.start, r.stop, r.component FROM json_each(?1) AS k
    CROSS JOIN lineage_edges AS e ON e.data = (k.value >> {_NODE_BITS})
        AND e.program = (k.value & {2**_NODE_BITS - 1}) AND e.mode = ?5
    LEFT JOIN lineage_runs AS r ON r.data = e.data AND r.program = e.program AND r.mode = e.mode AND e.runs < ?4
        AND r.start < ?2 AND (r.stop IS NULL OR r.stop >= ?3) AND {_STANDS}"""
_NEWEST_NAMES = f"SELECT DISTINCT run, start {_RUNS} AND {_STANDS} ORDER BY start DESC, run DESC LIMIT ?"
_TOTALS = f"""SELECT COUNT(DISTINCT run), MIN(start), MAX(COALESCE(stop, {2**63 - 1})) {_RUNS} AND {_STANDS}"""
_COMPONENTS = f"SELECT DISTINCT component {_RUNS} AND {_STANDS} AND component <> '' ORDER BY component LIMIT ?"
_RUNS_OF = """SELECT DISTINCT start, run FROM lineage_runs WHERE data = (SELECT id FROM lineage_nodes WHERE urn = ?)
    AND (start, run) < (?, ?) AND start < ? AND (stop IS NULL OR stop >= ?) ORDER BY start DESC, run DESC LIMIT ?"""
_OF_RUN = """SELECT d.urn, p.urn, r.mode, r.run, r.component, r.start, r.stop FROM lineage_runs AS r
    JOIN lineage_nodes AS d ON d.id = r.data JOIN lineage_nodes AS p ON p.id = r.program WHERE r.run = ?"""
_RUNS_AFTER = "SELECT DISTINCT run FROM lineage_runs WHERE run > ? ORDER BY run LIMIT ?"
_FORGET = "DELETE FROM lineage_runs WHERE run = ?"
_ROLLED_UP = f"""SELECT MIN(start), MAX(start), COALESCE(MAX(stop), -1), MAX(COALESCE(stop, {2**63 - 1})),
    COUNT(DISTINCT run) FROM lineage_runs AS r WHERE r.data = {{data}} AND r.program = {{program}} AND r.mode = {{mode}}"""
_STALE = f"""SELECT d.urn, p.urn, s.mode FROM (
        SELECT e.data, e.program, e.mode FROM lineage_edges AS e WHERE (e.first, e.last, e.ended, e.until, e.runs)
            IS NOT ({_ROLLED_UP.format(data="e.data", program="e.program", mode="e.mode")})
        UNION SELECT r.data, r.program, r.mode FROM lineage_runs AS r WHERE NOT EXISTS (SELECT 1
            FROM lineage_edges AS e WHERE e.data = r.data AND e.program = r.program AND e.mode = r.mode)) AS s
    JOIN lineage_nodes AS d ON d.id = s.data JOIN lineage_nodes AS p ON p.id = s.program LIMIT ?"""
_EDGES_OF = "SELECT data, program, mode FROM lineage_edges WHERE {side} = ?"
_COPY = f"""INSERT INTO lineage_runs (data, program, mode, start, run, component, stop)
    SELECT ?, ?, mode, start, run, component, stop FROM lineage_runs WHERE {_THE_EDGE} ON CONFLICT DO NOTHING"""
_CLEAR = f"DELETE FROM lineage_runs WHERE {_THE_EDGE}"
_UNROLL = f"DELETE FROM lineage_edges WHERE {_THE_EDGE}"
_ROLL_UP = _ROLLED_UP.format(data="?", program="?", mode="?")
_RENEW = """INSERT INTO lineage_edges (data, program, mode, first, last, ended, until, runs)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""
#: An edge with fewer accesses than this is read at once and aggregated in Python.
_FEW = 50

Side = Literal["data", "program"]


class SqliteEdges:
    """Lineage on one connection (`spi.EdgeIndex`)."""

    def __init__(self, connection: GuardedConnection) -> None:
        self._connection = connection
        #: Numbers of nodes in this transaction, since a traversal looks them up repeatedly. A savepoint that is rolled
        #: back takes this object with it.
        self._numbers: dict[str, int] = {}

    def record_access(
        self, data: str, program: str, mode: str, run: str, component: str, start: int, stop: int | None
    ) -> None:
        """Record that a run accessed data. Recording it again only changes `stop`."""
        execute = self._connection.execute
        edge = (self._get_or_create_node_number(data), self._get_or_create_node_number(program), mode)
        existing = execute(_KNOWN, (*edge, start, run)).fetchone()
        execute(_ADD_RUN, (*edge, start, run, component, stop))
        if existing is None:
            execute(_ADD, (*edge, start, start, -1 if stop is None else stop, ALWAYS if stop is None else stop))
        elif existing[0] != stop:
            self._rebuild_roll_up_row(*edge)

    def set_run_stop(self, run: str, stop: int | None) -> None:
        """Set the end of a run; None means that it is running."""
        execute = self._connection.execute
        edges = execute(_EDGES_OF_RUN, (run,)).fetchall()
        again = execute(_HAD_STOPPED, (run,)).fetchone()
        execute(_STOP, (stop, run))
        if again or stop is None:
            for edge in edges:
                self._rebuild_roll_up_row(*edge)
        else:
            self._connection.execute_many(_ENDED, [(stop, *edge) for edge in edges])

    def find_neighbours(
        self, side: Side, keys: Sequence[str], modes: Sequence[str], window: TimeWindow, limit: int
    ) -> list[Triple]:
        """Return at most `limit` triples (data, program, mode) with one end in `keys`."""
        nodes = self._find_known_nodes_and_cache(keys)
        rows = self._run_neighbour_query(_AROUND, side, nodes, modes, window, limit).fetchall()
        self._numbers |= {urn: number for _, number, urn, _ in rows}
        if side == "data":
            return [(nodes[at], urn, mode) for at, _, urn, mode in rows]
        return [(urn, nodes[at], mode) for at, _, urn, mode in rows]

    def count_neighbours(
        self, side: Side, keys: Sequence[str], modes: Sequence[str], window: TimeWindow, cap: int
    ) -> dict[str, int]:
        """Return the number of distinct neighbours of each of these keys, counted up to `cap`."""
        nodes = self._find_known_nodes_and_cache(keys)
        counts = {
            nodes[at]: degree for at, degree in self._run_neighbour_query(_DEGREES, side, nodes, modes, window, cap)
        }
        return {key: counts.get(key, 0) for key in keys}

    def read_edges(self, triples: Sequence[Triple], window: TimeWindow, runs: int) -> list[Edge]:
        """Return these edges in this order, each with its newest `runs` runs."""
        self._find_known_nodes_and_cache({end for data, program, _ in triples for end in (data, program)})
        get_number, most = self._numbers.get, max(_FEW, runs + 1)
        edges = [(get_number(data), get_number(program), mode) for data, program, mode in triples]
        accesses, large = defaultdict[int, list[Access]](list), set[int]()
        for mode, keys in _build_edge_keys_by_mode(edges).items():
            # One query for all: thousands of single queries take far longer.
            bound = (json.dumps([*keys.values()]), *get_window_bounds(window), most, mode)
            places = [*keys]
            for row in self._connection.execute(_NEWEST_OF_EDGES, bound).fetchall():
                if row[1]:
                    large.add(places[row[0]])
                elif row[2] is not None:
                    accesses[places[row[0]]].append(row[2:])
        return [
            self._read_edge_of_node_numbers(triple, edge, window, runs)
            if at in large or len(accesses[at]) >= most
            else build_edge_of_accesses(triple, accesses[at], runs)
            for at, (triple, edge) in enumerate(zip(triples, edges, strict=True))
        ]

    def list_runs_of_data(
        self, data: str, window: TimeWindow, limit: int, before: tuple[int, str] | None
    ) -> list[tuple[int, str]]:
        """Return (start, run) of the runs that accessed data, newest first, after the position `before`."""
        position = before or (ALWAYS, "")
        rows = self._connection.execute(_RUNS_OF, (data, *position, *get_window_bounds(window), limit))
        return [(start, run) for start, run in rows]

    def list_links_of_run(self, run: str) -> set[AccessLink]:
        """Return all links of a run."""
        return {AccessLink(*values) for values in self._connection.execute(_OF_RUN, (run,))}

    def list_runs_after(self, run: str, limit: int) -> list[str]:
        """Return the runs that have links, by URN, after this one."""
        return [urn for (urn,) in self._connection.execute(_RUNS_AFTER, (run, limit))]

    def delete_run_links(self, run: str) -> None:
        """Delete a run with all its links."""
        edges = self._connection.execute(_EDGES_OF_RUN, (run,)).fetchall()
        self._connection.execute(_FORGET, (run,))
        for edge in edges:
            self._rebuild_roll_up_row(*edge)

    def rename_node(self, side: Side, old: str, new: str) -> None:
        """Replace `old` by `new` in all links, merging them with existing links of `new`."""
        execute, number = self._connection.execute, self._get_or_create_node_number(new)
        for data, program, mode in list(execute(_EDGES_OF.format(side=side), (self._get_or_create_node_number(old),))):
            ends = (number, program) if side == "data" else (data, number)
            execute(_COPY, (*ends, data, program, mode))
            execute(_CLEAR, (data, program, mode))
            self._rebuild_roll_up_row(data, program, mode)
            self._rebuild_roll_up_row(*ends, mode)

    def find_stale_roll_ups(self, limit: int) -> list[Triple]:
        """Return at most `limit` triples whose roll-up differs from their accesses."""
        return [(data, program, mode) for data, program, mode in self._connection.execute(_STALE, (limit,))]

    def rebuild_roll_up(self, data: str, program: str, mode: str) -> None:
        """Rebuild the roll-up of one triple from its accesses."""
        self._rebuild_roll_up_row(self._get_or_create_node_number(data), self._get_or_create_node_number(program), mode)

    def _rebuild_roll_up_row(self, *edge: int | str) -> None:
        execute = self._connection.execute
        execute(_UNROLL, edge)
        *rolled_up, runs = execute(_ROLL_UP, edge).fetchone()
        if runs:
            execute(_RENEW, (*edge, *rolled_up, runs))

    def _get_or_create_node_number(self, urn: str) -> int:
        if (number := self._numbers.get(urn)) is None:
            row = self._connection.execute(_NODE, (urn,)).fetchone()
            number = int(row[0]) if row else int(self._connection.execute(_ADD_NODE, (urn,)).lastrowid or 0)
            self._numbers[urn] = number
        return number

    def _find_known_nodes_and_cache(self, urns: Collection[str]) -> list[str]:
        """Return those of these nodes that exist in lineage, and cache their numbers."""
        missing = [urn for urn in urns if urn not in self._numbers]
        if missing:
            self._numbers.update(self._connection.execute(_NODES, (json.dumps(missing),)).fetchall())
        return [urn for urn in urns if urn in self._numbers]

    def _run_neighbour_query(
        self, statement: str, side: Side, nodes: Sequence[str], modes: Sequence[str], window: TimeWindow, limit: int
    ) -> Cursor:
        other = "program" if side == "data" else "data"
        end, start = get_window_bounds(window)
        # A shorter list is padded with its last element.
        filled = [modes[min(at, len(modes) - 1)] for at in range(_MODES_MOST)]
        within = _EVER if window.is_unbounded else _WITHIN
        numbers = json.dumps([self._numbers[urn] for urn in nodes])
        return self._connection.execute(
            statement.format(side=side, other=other, window=within), (numbers, limit, start, end, *filled)
        )

    def _read_edge_of_node_numbers(
        self, triple: Triple, edge: tuple[int | None, int | None, str], window: TimeWindow, runs: int
    ) -> Edge:
        newest = _NEWEST_UNKNOWN if triple[2] == "unknown" else _NEWEST
        most = max(_FEW, runs + 1)
        rows = self._connection.execute(newest, (*edge, *get_window_bounds(window), most)).fetchall()
        return (
            build_edge_of_accesses(triple, rows, runs)
            if len(rows) < most
            else self._read_edge_with_many_runs(triple, edge, window, runs)
        )

    def _read_edge_with_many_runs(
        self, triple: Triple, edge: tuple[int | None, int | None, str], window: TimeWindow, runs: int
    ) -> Edge:
        execute, parameters = self._connection.execute, (*edge, *get_window_bounds(window))
        count, start, stop = execute(_TOTALS, parameters).fetchone()
        newest = tuple(run for run, _ in execute(_NEWEST_NAMES, (*parameters, runs)))
        components = tuple(name for (name,) in execute(_COMPONENTS, (*parameters, COMPONENTS_READ)))
        return Edge(*triple, newest, count, start, None if stop == ALWAYS else stop, components)


def _build_edge_keys_by_mode(edges: Iterable[tuple[int | None, int | None, str]]) -> dict[str, dict[int, int]]:
    """Return the keys of the edges between known nodes by their place in the list, by mode.

    A key is an integer of at most 62 bits, which SQLite reads exactly from JSON.
    """
    keys: dict[str, dict[int, int]] = defaultdict(dict)
    for at, (data, program, mode) in enumerate(edges):
        if data is not None and program is not None:
            keys[mode][at] = data << _NODE_BITS | program
    return keys
