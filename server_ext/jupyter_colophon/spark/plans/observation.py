"""What one execution of a query did: the data it read and wrote, column by column where that is known."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum


class Kind(StrEnum):
    """What sort of place data is in."""

    TABLE = "table"
    VIEW = "view"
    FILE = "file"
    JDBC = "jdbc"
    TOPIC = "topic"


class Transformation(StrEnum):
    """How a column's values became another's, or only steered which come (OpenLineage's words), from the weakest to the strongest."""

    CONDITIONAL = "conditional"
    WINDOW = "window"
    SORT = "sort"
    GROUP_BY = "group_by"
    FILTER = "filter"
    JOIN = "join"
    IDENTITY = "identity"
    TRANSFORMATION = "transformation"
    AGGREGATION = "aggregation"


#: A list of files is each of them; of a longer one the first so many, and the run says that there were more.
MOST_PATHS = 5_000

#: What a streaming query is called in an observation.
STREAM = "stream"

#: Names of classes are shorter.
_KIND_CHARS = 100


class Unseen(StrEnum):
    """What of an execution was not seen, in words for people."""

    COLUMNS = "which columns were made of which: the plan is too large, so only its tables were recorded"
    PLACES = "tables or files of a plan that reads very many of them"
    STEERING = "which columns steered the result: they were too many"
    MEMORY = "where rows came from that were made in memory (createDataFrame, toPandas, checkpoint)"
    NAME = "which table of another catalog than Spark's own got another name"
    MODEL = "from which data a model was trained"
    SOURCE = "data that was read by a query or a format that names no dataset"
    SINK = "data that was written by a format that names no dataset"
    ROWS = "which rows of which table were changed in place (UPDATE, DELETE, MERGE)"
    EXECUTION = "a query whose plan could not be understood"
    INTENDED = "some of the data that failed statements would have written: they were too many"
    EVENTS = "queries whose ends Spark could not tell: it dropped them from its queue, or the connection was cut"


def unknown(kind: str) -> str:
    """What was not seen where a plan begins with a node of a kind that nobody told us of."""
    return f"what a plan reads by {kind[:_KIND_CHARS]}, a kind of node that is not known here"


@dataclass(frozen=True, slots=True)
class Field:
    """A column: its name, its type as Spark SQL writes it (`bigint`, `array<string>`), and whether it may be null."""

    path: str
    type: str
    nullable: bool


@dataclass(frozen=True, slots=True)
class DataRef:
    """A dataset that was touched.

    `fields` is its whole schema, None where it is not known; `format` is a data source's short name (`parquet`);
    `location` is a URI as Hadoop writes it (`file:/data/x`), None where it is not known or would say nothing new;
    `parts` are the folders of partitions below it (`/day=mon`) where those alone were touched.
    """

    urn: str
    kind: Kind
    fields: tuple[Field, ...] | None = None
    format: str | None = None
    location: str | None = None
    parts: tuple[str, ...] = ()

    @property
    def places(self) -> tuple[str, ...]:
        """Where exactly it was touched."""
        if self.location is None:
            return ()
        return tuple(self.location + part for part in self.parts) or (self.location,)

    def having(self, fields: tuple[Field, ...]) -> "DataRef":
        """The same with the schema of what was touched, where that is the whole's: a partition's folder may lack its column."""
        named = {folder.partition("=")[0] for part in self.parts for folder in part.split("/")[1:]}
        return replace(self, fields=fields if named <= {field.path for field in fields} else None)


def united(refs: Iterable[DataRef]) -> tuple[DataRef, ...]:
    """One for each dataset, with all that was touched of it."""
    same: dict[str, list[DataRef]] = {}
    for ref in refs:
        same.setdefault(ref.urn, []).append(ref)
    return tuple(_one(each) for each in same.values())


def _one(refs: list[DataRef]) -> DataRef:
    is_whole = any(not ref.parts for ref in refs)
    parts = () if is_whole else tuple(dict.fromkeys(part for ref in refs for part in ref.parts))
    fields = next((ref.fields for ref in reversed(refs) if ref.fields is not None), None)
    return replace(refs[-1], fields=fields, parts=parts)


@dataclass(frozen=True, slots=True)
class ColumnEdge:
    """Values of one column went into another."""

    source_urn: str
    source_field: str
    target_urn: str
    target_field: str
    transformation: Transformation


@dataclass(frozen=True, slots=True)
class Observation:
    """One execution. Times are epoch milliseconds, rounded down, on the clock of `time.time()`: the start is within the
    execution, the end may be some milliseconds late.

    `function` is Spark's name of an action (`collectToPython`, `count`) or ours of a command (`insert`, `create view`).
    Each observation is one statement: all that it reads flows into all that it writes, and into nothing else.
    A failed execution names what it read, and as `intended` what it would have written; it writes nothing and has no columns.
    `error` is then Spark's error condition or the exception's class, never its message, which holds values.
    `renamed` are the old and the new URN of a table that got another name.
    `unseen` says what is missing from the rest: words of Unseen, or of `unknown`.
    """

    started_ms: int
    finished_ms: int
    function: str
    failed: bool = False
    error: str | None = None
    reads: tuple[DataRef, ...] = ()
    writes: tuple[DataRef, ...] = ()
    columns: tuple[ColumnEdge, ...] = ()
    unseen: tuple[str, ...] = ()
    intended: tuple[DataRef, ...] = ()
    renamed: tuple[str, str] | None = None
