"""The observation of one statement: the data that it read and wrote, with column lineage if known."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jupyter_colophon.capture.write_profile import WriteProfile


class DatasetKind(StrEnum):
    """The kind of a dataset."""

    TABLE = "table"
    VIEW = "view"
    FILE = "file"
    JDBC = "jdbc"
    TOPIC = "topic"
    MODEL = "model"
    #: A variable of a notebook, as a cell left it.
    VARIABLE = "variable"


class Inference(StrEnum):
    """How lineage is known, from the surest to the weakest."""

    #: One call read and wrote the data.
    OBSERVED = "observed"
    #: A value was followed from call to call.
    OBJECT = "object"
    #: Only the names that the code uses connect the values.
    NAME = "name"


class Transformation(StrEnum):
    """How a column depends on another (as in OpenLineage), from the weakest to the strongest."""

    CONDITIONAL = "conditional"
    WINDOW = "window"
    SORT = "sort"
    GROUP_BY = "group_by"
    FILTER = "filter"
    JOIN = "join"
    IDENTITY = "identity"
    TRANSFORMATION = "transformation"
    AGGREGATION = "aggregation"


#: Maximum number of files in a list that are recorded; the run reports that there were more.
MAX_PATHS = 5_000

#: The function of an observation of a streaming query.
STREAM = "stream"

#: The function of an observation of a file that was opened, and nothing else (`opened_files.py`).
OPEN = "open"

#: Longer than the names of known classes.
_KIND_CHARS = 100


class MissingDetail(StrEnum):
    """Parts of the lineage of an execution that are missing, as text for users."""

    COLUMNS = "column lineage: the plan is too large, so only its tables were recorded"
    PLACES = "some tables or files of a plan that reads very many"
    CONTROLS = "column-level control dependencies: there were too many columns"
    MEMORY = "sources of rows that were created in memory (createDataFrame, toPandas, checkpoint)"
    NAME = "the rename of a table in another catalog than Spark's own"
    MODEL = "the data that a model was trained on"
    SOURCE = "data that was read by a query or a format that does not name a dataset"
    SINK = "data that was written by a format that does not name a dataset"
    VALUE_COLUMNS = "column lineage: an operation on the data in memory is not followed by column"
    ROWS = "rows that were changed in place (UPDATE, DELETE, MERGE)"
    CHANGED_COLUMNS = "column lineage: rows were changed in place (UPDATE, DELETE, MERGE)"
    STATEMENT = "what a SQL statement read and wrote: it is not understood"
    STREAM_FUNCTION = "what a function of a stream wrote: it runs on the server of Spark Connect"
    EXECUTION = "a query whose plan could not be read"
    INTENDED = "some of the intended outputs of failed statements: there were too many"
    EVENTS = "queries that Spark could not report: it dropped their events, or the connection was cut"


def describe_unknown_node(kind: str) -> str:
    """Return the missing detail for a plan with an unknown kind of leaf node."""
    return f"data that was read by {kind[:_KIND_CHARS]}, an unknown kind of plan node"


@dataclass(frozen=True, slots=True)
class SchemaField:
    """A column: its name, its type in the words of the library (Spark: `array<string>`, pandas: `int64`), and whether it is nullable."""

    path: str
    type: str
    nullable: bool


@dataclass(frozen=True, slots=True)
class DataRef:
    """A dataset that was read or written.

    `fields` is its complete schema, None if unknown; `format` is a data source's short name (`parquet`); `location` is a URI
    as in Hadoop (`file:/data/x`), None if unknown or redundant; `parts` are the partition folders below it (`/day=mon`) if
    only those were read or written; `versions` are the versions of a Delta or Iceberg table that were read, or the one that a
    write created.
    """

    urn: str
    kind: DatasetKind
    fields: tuple[SchemaField, ...] | None = None
    format: str | None = None
    location: str | None = None
    parts: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()

    @property
    def exact_locations(self) -> tuple[str, ...]:
        """Return the exact locations that were read or written."""
        if self.location is None:
            return ()
        return tuple(self.location + part for part in self.parts) or (self.location,)

    def with_fields(self, fields: tuple[SchemaField, ...]) -> "DataRef":
        """Return the reference with a schema, unless it lacks partition columns, as that of a partition folder may."""
        named = {folder.partition("=")[0] for part in self.parts for folder in part.split("/")[1:]}
        return replace(self, fields=fields if named <= {field.path for field in fields} else None)


def merge_refs(refs: Iterable[DataRef]) -> tuple[DataRef, ...]:
    """Return one reference for each dataset, with all parts."""
    same: dict[str, list[DataRef]] = {}
    for ref in refs:
        same.setdefault(ref.urn, []).append(ref)
    return tuple(_merge_refs_of_one_dataset(each) for each in same.values())


def _merge_refs_of_one_dataset(refs: list[DataRef]) -> DataRef:
    is_whole = any(not ref.parts for ref in refs)
    parts = () if is_whole else tuple(dict.fromkeys(part for ref in refs for part in ref.parts))
    fields = next((ref.fields for ref in reversed(refs) if ref.fields is not None), None)
    versions = tuple(dict.fromkeys(version for ref in refs for version in ref.versions))
    return replace(refs[-1], fields=fields, parts=parts, versions=versions)


@dataclass(frozen=True, slots=True)
class ColumnFlow:
    """A dependency between two columns."""

    source_urn: str
    source_field: str
    target_urn: str
    target_field: str
    transformation: Transformation


@dataclass(frozen=True, slots=True)
class StreamProgress:
    """The state of a streaming query, which has a run of its own.

    `run_id` is Spark's id of this run of the query, `name` the name that its program gave it; `batch` is its last batch, None
    before the first, and `input_rows` is the number of rows that it has read so far.
    """

    run_id: str
    began_ms: int
    name: str = ""
    batch: int | None = None
    input_rows: int = 0
    has_ended: bool = False


@dataclass(frozen=True, slots=True)
class Observation:
    """One execution. Times are epoch milliseconds, rounded down, on the clock of `time.time()`; the end may be some
    milliseconds late.

    `function` is Spark's name of an action (`collectToPython`, `count`) or our name of a command (`insert`, `create view`).
    An observation is one statement: all data read flows into all data written.
    A failed execution has the data it read, and as `intended` the data it would have written; it has no writes or columns.
    `error` is then Spark's error condition or the exception's class, without the message, which contains values.
    `renamed` are the old and the new URN of a renamed table.
    `missing` lists missing lineage: values of MissingDetail, or of `describe_unknown_node`.
    `inference` is how it is known that the data read flows into the data written.
    `profile` is that of the data that was written, if it was computed.
    `stream` is the state of a streaming query; the observation belongs to its run.
    `dropped` are the URNs of tables and views that were dropped; of a database, that with which those of its tables begin.
    `created` are the URNs of tables that were created without rows, perhaps again.
    """

    started_ms: int
    finished_ms: int
    function: str
    failed: bool = False
    error: str | None = None
    reads: tuple[DataRef, ...] = ()
    writes: tuple[DataRef, ...] = ()
    columns: tuple[ColumnFlow, ...] = ()
    missing: tuple[str, ...] = ()
    intended: tuple[DataRef, ...] = ()
    renamed: tuple[str, str] | None = None
    inference: Inference = Inference.OBSERVED
    profile: "WriteProfile | None" = None
    stream: StreamProgress | None = None
    dropped: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
