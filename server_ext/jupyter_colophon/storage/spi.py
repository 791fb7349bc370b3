"""The contract of storage providers: tables, transactions, and three subsystems (change log, search index and lineage
index).
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from jupyter_colophon.core.lineage.graph import TimeWindow
from jupyter_colophon.core.search.query_language import SearchPattern
from jupyter_colophon.core.search.search import CountedMatches, FacetValues, MatchGroup, MatchGroups

FieldType = Literal["int", "long", "float", "double", "string", "bytes", "bool"]
Row = dict[str, Any]
Key = tuple[Any, ...]
Order = Literal["asc", "desc"]
T = TypeVar("T")
_SCORE = attrgetter("score")


@dataclass(frozen=True, slots=True)
class TableSpec:
    """The structure of a table. Keys and indexes are declared fields of an ordered type."""

    id: str
    fields: Mapping[str, FieldType]
    primary_key: tuple[str, ...]
    indexes: tuple[str, ...] = ()


class FieldValue(NamedTuple):
    """A field and a value to match."""

    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class Range:
    """A range of keys; each end is a prefix of a key. An inclusive end includes all keys with the prefix, an exclusive
    one none.
    """

    begin: tuple[Any, ...] = ()
    end: tuple[Any, ...] = ()
    begin_inclusive: bool = True
    end_inclusive: bool = True

    @classmethod
    def prefix(cls, *keys: Any) -> "Range":
        """Return the range of all keys that begin with `keys`; without arguments, of all keys."""
        return cls(begin=keys, end=keys)


@dataclass(frozen=True, slots=True)
class TableStats:
    """The number of rows of a table, and its size in bytes if the store knows it."""

    rows: int
    bytes: int | None


class StructuredTable(Protocol):
    """One table inside one transaction (spec STORE-9).

    Arguments that do not match the spec (an unknown field, a wrong type, an incomplete key) raise InvalidField before
    anything is sent to the store. Iterators are lazy and end with the transaction: continuing later raises
    StorageError.
    """

    def upsert(self, row: Row) -> None:
        """Write a row; omitted columns keep their values."""

    def upsert_many(self, rows: Sequence[Row]) -> None:
        """Write rows as `upsert` does, in their order; if one of them does not match the spec, none is written."""

    def update(self, row: Row) -> bool:
        """Change an existing row; return whether it exists."""

    def read(self, key: Key, columns: Sequence[str] | None = None) -> Row | None:
        """Return the row with this complete key, or some of its columns."""

    def read_many(self, keys: Sequence[Key], columns: Sequence[str] | None = None) -> list[Row]:
        """Return the existing rows with these keys, or some of their columns, in no particular order."""

    def scan(
        self,
        keys: Range,
        limit: int | None = None,
        order: Order = "asc",
        filters: Sequence[FieldValue] = (),
        order_by: str | None = None,
        columns: Sequence[str] | None = None,
    ) -> Iterator[Row]:
        """Yield the rows of a range, or some of their columns, in key order (strings by code point), or in the order of
        an indexed field, nulls lowest.

        With filters on indexed fields, only rows that match any of them.
        """

    def scan_index(self, field: str, value: Any, limit: int | None = None) -> Iterator[Row]:
        """Yield the rows whose indexed field has this value (or None), in key order."""

    def scan_ranges(self, ranges: Sequence[Range], limit: int | None = None) -> Iterator[Row]:
        """Yield the rows of any of these ranges in key order, each once."""

    def compare_and_swap(self, key: Key, field: str, old: Any, new: Any) -> bool:
        """Set a field if it has the value `old`, and return whether it had. None also matches a missing row, which is
        then created.
        """

    def increment(self, key: Key, field: str, amount: int) -> int:
        """Add to an integer field; a missing row or a null counts as 0. Return the new value."""

    def increment_many(self, amounts: Mapping[Key, int], field: str) -> None:
        """Add to an integer field of each of these rows, as `increment` does."""

    def decrement_many(self, amounts: Mapping[Key, int], field: str) -> None:
        """Subtract from an integer field of each of these rows; delete rows that reach zero or less."""

    def delete(self, key: Key) -> None:
        """Delete the row with this complete key, if it exists."""

    def delete_many(self, keys: Sequence[Key]) -> None:
        """Delete the existing rows with these complete keys."""

    def delete_range(self, keys: Range) -> int:
        """Delete a range; return the number of deleted rows."""

    def update_range(self, keys: Range, fields: Row) -> int:
        """Set fields outside the key in all rows of a range; return the number of rows."""

    def count(self, ranges: Sequence[Range] = (), filters: Sequence[FieldValue] = ()) -> int:
        """Return the number of rows in any of these ranges (by default all) that match any of these filters."""

    def get_stats(self) -> TableStats:
        """Return the size of the table."""


class ChangeLog(Protocol):
    """The change log: rows numbered in commit order."""

    def append_changes(self, rows: Sequence[Row]) -> None:
        """Append rows (`tables.CHANGE`) with their numbers: ascending, and above the `get_head()` that the transaction
        sees.
        """

    def read_changes(self, after: int, limit: int, where: Mapping[str, str], bytes_max: int | None = None) -> list[Row]:
        """Return rows after a number, oldest first, with equal `namespace`, `urn` or `type` if given.

        With `bytes_max`, the result ends with the row whose values exceed this size.
        """

    def get_newest_number(self) -> int:
        """Return the number of the newest row, 0 if there is none."""

    def lock_and_append_changes(self, rows: Sequence[Row]) -> Callable[[], int]:
        """Exclude other appending transactions until the end of this one, and append rows, whose numbers are counted from
        1, after the newest row. Return a function that returns the number of that row, also after the commit.
        """

    def replace_changes(self, rows: Sequence[Row]) -> None:
        """Replace existing rows by rows with the same numbers."""

    def delete_changes_through(self, through: int) -> int:
        """Remove the rows up to and including this number, but never the newest; return the number of removed rows."""


@dataclass(frozen=True, slots=True)
class Document:
    """The indexed content of one entity; `words` and `terms` are encoded (core/model/search_index_terms.py)."""

    urn: str
    namespace: str
    type: str
    facet_values: FacetValues
    words: frozenset[str]
    terms: frozenset[str]


#: An encoded term that is required, or alternatives of which one is.
RequiredTerm = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AbsentTerm:
    """An encoded term that a document must not have."""

    term: str


#: A condition on the terms of a document.
TermCondition = RequiredTerm | AbsentTerm
#: Encoded terms that are required together, at least one.
Clause = tuple[RequiredTerm, ...]


@dataclass(frozen=True, slots=True)
class TermFilter:
    """Documents by their encoded terms: those that fulfil a clause of `any_of` (None: all) and no clause of `none_of`.

    Documents with one of the terms `exempt` pass in any case.
    """

    any_of: tuple[Clause, ...] | None = None
    none_of: tuple[Clause, ...] = ()
    exempt: tuple[str, ...] = ()

    def matches_terms(self, terms: Collection[str]) -> bool:
        """Return whether a document with these terms passes."""
        return matches_term_conditions(terms, [self.exempt]) or (
            (self.any_of is None or any(matches_term_conditions(terms, clause) for clause in self.any_of))
            and not any(matches_term_conditions(terms, clause) for clause in self.none_of)
        )


@dataclass(frozen=True, slots=True)
class TextQuery:
    """A query: any of these encoded words or prefixes, and all of these conditions on encoded terms.

    Of a tuple among the terms, any is enough; an empty one matches nothing. Without words and prefixes, the first
    condition is a required term. Only documents that pass the filter match.
    """

    exact: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    terms: tuple[TermCondition, ...] = ()
    filter: TermFilter = TermFilter()
    names: tuple[SearchPattern, ...] = ()  # Folded words; `MatchUrns` reports which names may have one.


def list_alternatives(required: RequiredTerm) -> tuple[str, ...]:
    """Return the terms of which one is required."""
    return (required,) if isinstance(required, str) else required


def list_absent_terms(conditions: Iterable[TermCondition]) -> list[str]:
    """Return the terms that a document must not have."""
    return [condition.term for condition in conditions if isinstance(condition, AbsentTerm)]


def list_required_terms(conditions: Iterable[TermCondition]) -> list[RequiredTerm]:
    """Return the terms that are required."""
    return [condition for condition in conditions if not isinstance(condition, AbsentTerm)]


def matches_term_conditions(terms: Collection[str], conditions: Iterable[TermCondition]) -> bool:
    """Return whether a document with these terms meets all conditions."""
    return all(
        condition.term not in terms
        if isinstance(condition, AbsentTerm)
        else any(term in terms for term in list_alternatives(condition))
        for condition in conditions
    )


class Match(NamedTuple):
    """A found document; a higher score is a better match. `terms` are its encoded terms.

    The store has the facet values of a document under its `number`. A match of an entity as it was at another time has
    the number 0 and its own `facet_values`.
    """

    urn: str
    namespace: str
    type: str
    number: int
    score: float
    terms: frozenset[str] = frozenset()
    facet_values: FacetValues = frozenset()

    @property
    def group(self) -> MatchGroup:
        """The namespace and the type."""
        return self.namespace, self.type


class MatchColumns(NamedTuple):
    """The newest matches as parallel lists: an object for each of thousands would take longer than finding them.

    `counted` are all of them, newest first; the first of them are ranked: they have a score, and a URN or `MatchUrns`.
    """

    urns: Sequence[str] = ()
    scores: Sequence[float] = ()
    counted: CountedMatches = CountedMatches()

    @classmethod
    def from_matches(cls, matches: Sequence[Match], cap: int) -> "MatchColumns":
        """Return columns of these matches, of which the first `cap` are ranked."""
        ranked = matches[:cap]
        return cls(
            [match.urn for match in ranked],
            [match.score for match in ranked],
            CountedMatches([match.number for match in matches], MatchGroups(match.group for match in matches)),
        )

    def list_best_matches(self) -> list[Match]:
        """Return the ranked matches, best first."""
        rows = zip(self.urns, self.counted.groups, self.counted.numbers, self.scores, strict=False)
        matches = [Match(urn, *group, number, score) for urn, group, number, score in rows]
        return sorted(matches, key=_SCORE, reverse=True)


class SearchIndex(Protocol):
    """Full text over documents, in the transaction of the write."""

    def put_documents(self, *documents: Document) -> None:
        """Add or replace documents with their facet values, each of another entity; of new ones the last is the newest."""

    def remove_document(self, urn: str) -> None:
        """Remove an entity's document."""

    def find_matches(self, query: TextQuery, cap: int) -> list[Match]:
        """Return the newest `cap` matches, best first."""

    def find_match_columns(self, query: TextQuery, cap: int, counted: int) -> MatchColumns:
        """Return the newest `counted` matches, at least `cap`, of which the newest `cap` are ranked."""

    def count_facets(self, numbers: Sequence[int], facets: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
        """Return the number of these documents with each value, by facet; facets without values are omitted."""

    def read_matches(self, urns: Sequence[str]) -> list[Match]:
        """Return these documents, unranked; those that do not exist are omitted."""

    def read_documents_after(self, urn: str, limit: int) -> list[Document]:
        """Return documents by URN (code points), after this one; "" means the start."""

    def rewrite_some_documents(self, version: int, place: str) -> str | None:
        """Rewrite some documents after a place as a schema version stores them, for an upgrade to it; return the next place,
        or None at the end, or if the version does not change how this index stores documents. The first place is "".
        """


class Edge(NamedTuple):
    """Data and a program that accessed it, over all runs in a window. Times are ms; `stop` is None while one runs.

    An edge is not `complete` if only the newest of its runs were counted.
    """

    data: str
    program: str
    mode: str
    runs: tuple[str, ...] = ()
    run_count: int = 0
    start: int = 0
    stop: int | None = None
    components: tuple[str, ...] = ()
    complete: bool = True


class AccessLink(NamedTuple):
    """One access of a run in the lineage index. `stop` is None while the run is running."""

    data: str
    program: str
    mode: str
    run: str
    component: str
    start: int
    stop: int | None


class EdgeIndex(Protocol):
    """Lineage: which programs accessed which data, in which runs."""

    def record_access(
        self, data: str, program: str, mode: str, run: str, component: str, start: int, stop: int | None
    ) -> None:
        """Record that a run accessed data. Recording it again only changes `stop`."""

    def set_run_stop(self, run: str, stop: int | None) -> None:
        """Set the end of a run; None means that it is running."""

    def find_neighbours(
        self,
        side: Literal["data", "program"],
        keys: Sequence[str],
        modes: Sequence[str],
        window: TimeWindow,
        limit: int,
    ) -> list[tuple[str, str, str]]:
        """Return at most `limit` triples (data, program, mode) with one end in `keys`."""

    def count_neighbours(
        self, side: Literal["data", "program"], keys: Sequence[str], modes: Sequence[str], window: TimeWindow, cap: int
    ) -> Mapping[str, int]:
        """Return the number of distinct neighbours of each of these keys, counted up to `cap`."""

    def read_edges(self, triples: Sequence[tuple[str, str, str]], window: TimeWindow, runs: int) -> list[Edge]:
        """Return these edges in this order, each with its newest `runs` runs."""

    def list_runs_of_data(
        self, data: str, window: TimeWindow, limit: int, before: tuple[int, str] | None
    ) -> list[tuple[int, str]]:
        """Return (start, run) of the runs that accessed data, newest first, after the position `before`."""

    def list_links_of_run(self, run: str) -> set[AccessLink]:
        """Return all links of a run."""

    def list_runs_after(self, run: str, limit: int) -> list[str]:
        """Return the runs that have links, by URN (code points), after this one; "" means the start."""

    def delete_run_links(self, run: str) -> None:
        """Delete a run with all its links."""

    def rename_node(self, side: Literal["data", "program"], old: str, new: str) -> None:
        """Replace `old` by `new` in all links, merging them with existing links of `new`."""

    def find_stale_roll_ups(self, limit: int) -> list[tuple[str, str, str]]:
        """Return at most `limit` triples (data, program, mode) whose roll-up, if the store has one, differs from their
        accesses.
        """

    def rebuild_roll_up(self, data: str, program: str, mode: str) -> None:
        """Rebuild the roll-up of one triple from its accesses, if the store has one."""


class ProviderContext(Protocol):
    """The context of a transaction of every provider. Usable only inside it."""

    def get_table(self, table_id: str) -> StructuredTable:
        """Return the table of a spec that was created. Raises InvalidField if it does not exist."""

    def on_commit(self, action: Callable[[], None]) -> None:
        """Run an action once, after the transaction has succeeded."""


class TableContext(ProviderContext, Protocol):
    """The context of a transaction of the platform: the tables and the three subsystems."""

    @property
    def log(self) -> ChangeLog:
        """The change log."""

    @property
    def search(self) -> SearchIndex:
        """The full-text index."""

    @property
    def edges(self) -> EdgeIndex:
        """The lineage index."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long a conflicting transaction is retried. Times are seconds."""

    attempts: int = 12
    first_pause_s: float = 0.005
    longest_pause_s: float = 0.5
    deadline_s: float = 15.0


#: Used unless the caller passes another policy.
DEFAULT_RETRY = RetryPolicy()


@dataclass(frozen=True, slots=True)
class Locks:
    """The names that a writing callable locks: no other callable has a lock of an exclusive name, others with a shared
    lock may have a shared one.
    """

    exclusive: frozenset[str]
    shared: frozenset[str] = frozenset()

    def make_exclusive(self) -> "Locks":
        """Return exclusive locks of all names."""
        return Locks(self.exclusive | self.shared)


class TransactionRunner(Protocol):
    """Run callables in transactions."""

    def run(
        self,
        work: Callable[[TableContext], T],
        *,
        read_only: bool = False,
        retry: RetryPolicy = DEFAULT_RETRY,
        locks: Locks | None = None,
    ) -> T:
        """Run a callable in one transaction and return its result; an exception rolls back and is raised unchanged.

        The callable may run several times and on another thread, together with other pending ones (group commit), so it
        must use nothing but tables. Actions that it registers run after the transaction has succeeded, on the caller's
        thread; their failures are logged and not raised. Only failures of the store become StorageError:
        TransactionConflict when retries run out, CommitUnknown when the store was lost during a commit. Nested runs in
        one thread are an error.

        Without `locks`, the callable excludes all others that write. With `locks`, it excludes those without locks and
        those with a lock of the same name, unless both are shared, from its first read on. A store may run others beside it: what it reads from the store, including
        the rows of others, may change between its statements, except what one of its locks protects. Rows that others
        write as well may only be written after `log.lock_and_append_changes`. A store may ignore locks.
        """


class TableAdmin(Protocol):
    """Create, change and drop tables."""

    def create_or_update(self, *specs: TableSpec) -> None:
        """Create or extend tables to match these specs; safe for processes that start together.

        A table may get fields, indexes and wider fields (int to long, float to double); any other change raises
        TableSchemaIncompatible.
        """

    def exists(self, table_id: str) -> bool:
        """Return whether a table exists."""

    def get_spec(self, table_id: str) -> TableSpec:
        """Return the spec of a table. Raises NotFound."""

    def rename(self, table_id: str, new_id: str, fields: Mapping[str, str]) -> None:
        """Rename a table and fields of it, old to new; its rows are kept.

        Missing tables and fields are skipped, so that a repeated call changes nothing. Raises InvalidField if another
        table has the new name already, or if the new names are not valid.
        """

    def drop(self, table_id: str) -> None:
        """Drop a table with all its rows, if it exists."""

    def list(self) -> list[str]:
        """Return the ids of all tables, sorted."""


#: The subsystems that a provider may implement; the others are supplied by `storage/portable` (spec STORE-15).
SUBSYSTEMS = frozenset({"log", "search", "edges"})
#: What a provider's tables may support (spec STORE-15): sorting by an index, descending order, a partial key as the end
#: of a range. A provider is never asked for what it lacks, and may reject it: `storage/portable` supplies it.
CAPABILITIES = frozenset({"order_by", "desc", "native_prefix"})


class RowArchive(Protocol):
    """Records the changes of rows in the transaction of each change, for restores to a point in time.

    A provider may have one, as its attribute `row_archive`; `storage/changes/archived_rows.py` defines the rows.
    """

    def start(self, specs: Iterable[TableSpec], state: bytes) -> None:
        """Archive the changes of these tables and of the change log from now on, and write the store's state."""

    def stop(self) -> None:
        """Archive nothing from now on."""


class StorageProvider(Protocol):
    """A store, chosen by name."""

    @property
    def name(self) -> str:
        """The name under which it is chosen."""

    @property
    def subsystems(self) -> frozenset[str]:
        """Those of SEAMS that its transactions implement."""

    @property
    def capabilities(self) -> frozenset[str]:
        """Those of CAPABILITIES that its tables have."""

    @property
    def table_admin(self) -> TableAdmin:
        """The administration of tables."""

    @property
    def tx_runner(self) -> TransactionRunner:
        """The runner of transactions."""

    def initialize(self, config: Mapping[str, Any]) -> None:
        """Open the store with these options. Raises StorageError, or InvalidField for an unknown option."""

    def check_health(self) -> Mapping[str, str]:
        """Return `status` (ok or down), `detail` and `journalMode`."""

    def find_store_problems(self) -> list[str]:
        """Return the problems of the store itself, one sentence each, without any stored value; it may take minutes.

        Writers of this and other processes continue. Checks that a store cannot do cheaply are omitted.
        """

    def rebuild_derived_data(self) -> None:
        """Rebuild what the store derives from its rows (indexes, full text). Writers wait in the meantime."""

    def reclaim_space(self) -> int:
        """Return unused space to the system; return the number of bytes. Writers may wait in the meantime."""

    def describe_store(self) -> Mapping[str, str]:
        """Return `engine` (name and version) and `place`, without secrets; if known, `bytes` and those of them that
        `reclaim_space` would return at least, `freeBytes`.
        """

    def get_data_version(self) -> int:
        """Return a number that differs after any commit of any process, as seen from this thread."""

    def close(self) -> None:
        """Close files and connections."""
