"""The storage seam: tables, transactions, and the three seams of a provider (log, search and edge index)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from jupyter_colophon.core.lineage.graph import Window
from jupyter_colophon.core.search.search import FacetValues, Group

FieldType = Literal["int", "long", "float", "double", "string", "bytes", "bool"]
Row = dict[str, Any]
Key = tuple[Any, ...]
Order = Literal["asc", "desc"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TableSpec:
    """The shape of a table. Keys and indexes are declared fields of an orderable type."""

    id: str
    fields: Mapping[str, FieldType]
    primary_key: tuple[str, ...]
    indexes: tuple[str, ...] = ()


class Field(NamedTuple):
    """A field and a value that it has."""

    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class Range:
    """A range of keys, each end a prefix of one; an inclusive end takes all that begin with it, an exclusive one none."""

    begin: tuple[Any, ...] = ()
    end: tuple[Any, ...] = ()
    begin_inclusive: bool = True
    end_inclusive: bool = True

    @classmethod
    def prefix(cls, *keys: Any) -> "Range":
        """All rows whose key begins with `keys`; without keys, all rows."""
        return cls(begin=keys, end=keys)


@dataclass(frozen=True, slots=True)
class TableStats:
    """How many rows a table has, and how many bytes it takes where the store can tell."""

    rows: int
    bytes: int | None


class StructuredTable(Protocol):
    """One table inside one transaction (spec STORE-9).

    Whatever does not fit the spec (an unknown field, a wrong type, a key that is not whole) raises InvalidField
    before anything is sent. Iterators are lazy and end with the transaction: reading on then raises StorageError.
    """

    def upsert(self, row: Row) -> None:
        """Write a row; columns not given keep their values."""

    def upsert_all(self, rows: Sequence[Row]) -> None:
        """Write rows as `upsert` does, in their order; where one of them does not fit the spec, none is written."""

    def update(self, row: Row) -> bool:
        """Change a row that is there; whether it was."""

    def read(self, key: Key, columns: Sequence[str] | None = None) -> Row | None:
        """The row with this whole key, or some of its columns."""

    def multi_read(self, keys: Sequence[Key]) -> list[Row]:
        """The rows of these keys that exist, in no particular order."""

    def scan(
        self,
        keys: Range,
        limit: int | None = None,
        order: Order = "asc",
        filters: Sequence[Field] = (),
        order_by: str | None = None,
    ) -> Iterator[Row]:
        """Rows of a range in key order (strings by code point), or in that of an indexed field, nulls lowest.

        With filters on indexed fields, those rows that fit any of them.
        """

    def scan_index(self, field: str, value: Any, limit: int | None = None) -> Iterator[Row]:
        """Rows whose indexed field has this value (or None), in key order."""

    def multi_scan(self, ranges: Sequence[Range], limit: int | None = None) -> Iterator[Row]:
        """Rows of any of these ranges in key order, each once."""

    def compare_and_swap(self, key: Key, field: str, old: Any, new: Any) -> bool:
        """Set a field if it has the value `old`; None is also the value in a missing row, which then appears."""

    def increment(self, key: Key, field: str, amount: int) -> int:
        """Add to a whole number; a missing row or a null counts as 0. Returns the new value."""

    def increment_all(self, amounts: Mapping[Key, int], field: str) -> None:
        """Add to a whole number in each of these rows, as `increment` does."""

    def decrement_all(self, amounts: Mapping[Key, int], field: str) -> None:
        """Take from a whole number in each of these rows; a row that is left with nothing, or with less, goes."""

    def delete(self, key: Key) -> None:
        """Remove the row with this whole key, if it is there."""

    def multi_delete(self, keys: Sequence[Key]) -> None:
        """Remove the rows with these whole keys, those that are there."""

    def delete_all(self, keys: Range) -> int:
        """Remove a range; returns how many rows went."""

    def update_all(self, keys: Range, fields: Row) -> int:
        """Set fields that are no keys in all rows of a range; returns how many rows."""

    def count(self, ranges: Sequence[Range] = (), filters: Sequence[Field] = ()) -> int:
        """How many rows are in any of these ranges (without ranges: in the table) and fit any of these filters."""

    def stats(self) -> TableStats:
        """The size of the table."""


class Log(Protocol):
    """The change log: rows numbered in commit order."""

    def append(self, rows: Sequence[Row]) -> None:
        """Add rows (`tables.CHANGE`) under their numbers: ascending, all above the `head()` that the transaction sees."""

    def read(self, after: int, limit: int, where: Mapping[str, str], bytes_max: int | None = None) -> list[Row]:
        """Return rows after a number, oldest first, with equal `namespace`, `urn` or `type` where given.

        With `bytes_max`, no more rows follow once the values of those before are larger.
        """

    def head(self) -> int:
        """Return the number of the newest row, 0 if there is none."""

    def compact(self, through: int) -> int:
        """Remove the rows up to and including this number, but never the newest; returns how many went."""


@dataclass(frozen=True, slots=True)
class Document:
    """What full-text search knows of one entity; `words` and `terms` are encoded (core/model/search_index_terms.py)."""

    urn: str
    namespace: str
    type: str
    facet_values: FacetValues
    words: frozenset[str]
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Words:
    """Any of these encoded words or prefixes, and all of these encoded terms."""

    exact: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()


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


class SearchIndex(Protocol):
    """Full text over documents, in the transaction of the write."""

    def put(self, *documents: Document) -> None:
        """Add or replace documents with their facet values, each of another entity; of new ones the last is the newest."""

    def remove(self, urn: str) -> None:
        """Forget an entity."""

    def match(self, words: Words, cap: int) -> list[Match]:
        """The newest `cap` matches, best first."""

    def survey(self, words: Words, cap: int, counted: int) -> tuple[list[Match], list[Group]]:
        """As `match`; where more than that match, also the newest `counted` as `groups`, and nothing otherwise."""

    def groups(self, words: Words, cap: int) -> list[Group]:
        """The newest `cap` matches by namespace and type, in no particular order."""

    def count_facets(self, numbers: Sequence[int], facets: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
        """Return how many of these documents have each value, by facet; without the facets that none has a value of."""

    def documents(self, urns: Sequence[str]) -> list[Match]:
        """These documents, unranked; those that do not exist are left out."""

    def after(self, urn: str, limit: int) -> list[Document]:
        """What is known, whole, by URN (code points) from the first after this one on; "" begins."""


@dataclass(frozen=True, slots=True)
class Edge:
    """Data and a program that touched it, over all runs in a window. Times are ms; `stop` is None while one runs.

    An edge is not `complete` where only the newest of its runs were counted.
    """

    data: str
    program: str
    mode: str
    runs: tuple[str, ...] = ()
    run_count: int = 0
    start: int = 0
    stop: int | None = None
    components: tuple[str, ...] = field(default=())
    complete: bool = True


class Link(NamedTuple):
    """One access of a run as lineage knows it. `stop` is None while the run goes on."""

    data: str
    program: str
    mode: str
    run: str
    component: str
    start: int
    stop: int | None


class EdgeIndex(Protocol):
    """Lineage: which programs touched which data, in which runs."""

    def add(self, data: str, program: str, mode: str, run: str, component: str, start: int, stop: int | None) -> None:
        """Record that a run touched data. Recording it again changes nothing but `stop`."""

    def stop(self, run: str, stop: int | None) -> None:
        """A run ended (or, with None, goes on)."""

    def around(
        self, side: Literal["data", "program"], keys: Sequence[str], modes: Sequence[str], window: Window, limit: int
    ) -> list[tuple[str, str, str]]:
        """At most `limit` triples (data, program, mode) one of whose ends is in `keys`."""

    def degrees(
        self, side: Literal["data", "program"], keys: Sequence[str], modes: Sequence[str], window: Window, cap: int
    ) -> Mapping[str, int]:
        """How many different partners each of these keys has, counted no further than `cap`."""

    def details(self, triples: Sequence[tuple[str, str, str]], window: Window, runs: int) -> list[Edge]:
        """These edges in this order, each with its newest `runs` runs."""

    def runs_of(self, data: str, window: Window, limit: int, before: tuple[int, str] | None) -> list[tuple[int, str]]:
        """(start, run) of the runs that touched data, newest first, after the position `before`."""

    def of_run(self, run: str) -> set[Link]:
        """Everything that is known of a run."""

    def runs_after(self, run: str, limit: int) -> list[str]:
        """The runs of which anything is known, by URN (code points), from the first after this one on; "" begins."""

    def forget(self, run: str) -> None:
        """Forget a run with all that it touched."""

    def rename(self, side: Literal["data", "program"], old: str, new: str) -> None:
        """Put `new` in the place of `old` in all that is known of it, beside what is known of `new` already."""

    def stale(self, limit: int) -> list[tuple[str, str, str]]:
        """At most `limit` triples (data, program, mode) whose roll-up, where the store keeps one, is not that of its accesses."""

    def renew(self, data: str, program: str, mode: str) -> None:
        """Rebuild the roll-up of one triple from its accesses, where the store keeps one."""


class Tables(Protocol):
    """What every provider's transaction can reach. Usable only inside it."""

    def table(self, table_id: str) -> StructuredTable:
        """The table of a spec that was created. Raises InvalidField if it does not exist."""

    def after_commit(self, action: Callable[[], None]) -> None:
        """Run once, after the transaction succeeded."""


class TableContext(Tables, Protocol):
    """What the platform's transactions can reach: the tables and the three seams."""

    @property
    def log(self) -> Log:
        """The change log."""

    @property
    def search(self) -> SearchIndex:
        """Full text."""

    @property
    def edges(self) -> EdgeIndex:
        """Lineage."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long a transaction that met another one is tried again. Seconds."""

    attempts: int = 12
    first_pause_s: float = 0.005
    longest_pause_s: float = 0.5
    deadline_s: float = 15.0


#: What is done where nobody says otherwise.
PATIENT = RetryPolicy()


class TransactionRunner(Protocol):
    """Runs callables in transactions."""

    def run(self, work: Callable[[TableContext], T], *, read_only: bool = False, retry: RetryPolicy = PATIENT) -> T:
        """Run in one transaction and return its result; an exception rolls back and comes out unchanged.

        The callable may run several times and on another thread, together with others that wait (group commit), so
        it must not touch anything but tables. What it wants done afterwards follows when the transaction has succeeded,
        on the caller's thread; failures of that are logged and not raised. Only storage faults become StorageError:
        TransactionConflict when tries run out, CommitUnknown when the store went away while committing. Nested runs in one thread are an error.
        """


class TableAdmin(Protocol):
    """Makes tables and takes them away."""

    def create_or_update(self, *specs: TableSpec) -> None:
        """Make tables exist in this shape; safe when several processes start together.

        It may get fields, indexes, wider fields (int to long, float to double); else TableSchemaIncompatible is raised.
        """

    def exists(self, table_id: str) -> bool:
        """Whether there is such a table."""

    def schema(self, table_id: str) -> TableSpec:
        """The shape of a table. Raises NotFound."""

    def rename(self, table_id: str, new_id: str, fields: Mapping[str, str]) -> None:
        """Give a table another name, and other names to some of its fields, old to new; its rows stay.

        A table or a field that does not exist is left out, so that a repeated call changes nothing. Raises InvalidField
        where another table has the new name already, or where the new names are not valid.
        """

    def drop(self, table_id: str) -> None:
        """Take a table away with all its rows, if it is there."""

    def list(self) -> list[str]:
        """The ids of all tables, sorted."""


#: The seams that a provider may bring; the others are served by `storage/portable` (spec STORE-15).
SEAMS = frozenset({"log", "search", "edges"})
#: What a provider may be able to do (spec STORE-15): to sort by an index, to go backwards, to take a part of a key for
#: an end of a range. What it cannot do it is not asked for, and may refuse: `storage/portable` does that itself.
CAPABILITIES = frozenset({"order_by", "desc", "native_prefix"})


class StorageProvider(Protocol):
    """A store, chosen by name."""

    @property
    def name(self) -> str:
        """The name under which it is chosen."""

    @property
    def seams(self) -> frozenset[str]:
        """Those of SEAMS that its transactions bring along."""

    @property
    def capabilities(self) -> frozenset[str]:
        """Those of CAPABILITIES that it has."""

    @property
    def table_admin(self) -> TableAdmin:
        """What makes tables."""

    @property
    def tx_runner(self) -> TransactionRunner:
        """What runs transactions."""

    def initialize(self, config: Mapping[str, Any]) -> None:
        """Open the store with these options. Raises StorageError, or InvalidField for an option that it has not."""

    def health(self) -> Mapping[str, str]:
        """`status` (ok or down), `detail` and `journalMode`."""

    def check(self) -> list[str]:
        """What is wrong with the store itself, one sentence each, without any value; it may take minutes.

        Writers of this and other processes go on. What a store cannot tell cheaply, it leaves out.
        """

    def repair(self) -> None:
        """Rebuild what the store derives from its rows (indexes, full text). Writers wait in the meantime."""

    def reclaim(self) -> int:
        """Return unused space to the system; return the number of bytes. Writers may wait in the meantime."""

    def about(self) -> Mapping[str, str]:
        """`engine` (name and version) and `place`, without secrets; `bytes`, if that is known."""

    def commits(self) -> int:
        """A number that differs after any commit of any process, as seen from this thread."""

    def close(self) -> None:
        """Let go of files and connections."""
