"""What a plugin of pipelines is: a class of one of these kinds, found by an entry point (docs/pipelines.md).

Its constructor takes the stage's name and its properties, which satisfy the schema by then and have no macros in them.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.document import StageType

if TYPE_CHECKING:
    from jupyter_colophon.pipelines.context import StageContext

#: The names of a stage's columns, where they are known without Spark.
Columns = tuple[str, ...] | None


class Plugin(ABC):
    """What all kinds share. `properties` are JSON Schemas of what a stage can say, `required` what it must."""

    type: ClassVar[StageType]
    name: ClassVar[str]
    title: ClassVar[str]
    description: ClassVar[str]
    properties: ClassVar[Mapping[str, Any]] = {}
    required: ClassVar[tuple[str, ...]] = ()
    #: The arguments of a run that it reads by itself, without a macro.
    arguments: ClassVar[tuple[str, ...]] = ()
    #: At least and at most so many stages whose data it takes; no most is None.
    takes: ClassVar[tuple[int, int | None]] = (0, 0)

    def __init__(self, stage: str, told: Mapping[str, Any]) -> None:
        self.stage, self.told = stage, told

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """The JSON Schema of a stage's properties."""
        return {
            "title": cls.title,
            "description": cls.description,
            "type": "object",
            "properties": dict(cls.properties),
            "required": list(cls.required),
            "additionalProperties": False,
        }

    def faults(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """What no schema finds wrong, with pointers into the properties; `inputs` in the order of the connections."""
        return ()

    def columns(self, inputs: Sequence[Columns]) -> Columns:
        """The columns that come out, where that can be told."""
        return None

    def entities(self, namespace: str) -> Iterable[MetadataEntity]:
        """The entities whose metadata it reads: known before the run where that can ask no server (docs/programs.md)."""
        return ()

    def connector(self) -> str:
        """The data source of Spark's that it reads or writes by, if that may be one which PySpark does not bring."""
        return ""

    def initialize(self, context: "StageContext") -> None:  # noqa: B027  most have nothing to say beforehand
        """Read and emit metadata, before any data is worked on. Not offered for each record."""


class Source(Plugin):
    """Where data comes from."""

    type = "source"

    def dataset(self, namespace: str) -> MetadataEntity | None:
        """The dataset that is read, where it has a name."""
        return None

    @abstractmethod
    def read(self, context: "StageContext") -> Any:
        """The data, as a DataFrame."""

    def entities(self, namespace: str) -> Iterable[MetadataEntity]:
        """Its dataset: stages after it ask what is said of it."""
        found = self.dataset(namespace)
        return () if found is None else (found,)


class Transform(Plugin):
    """What makes data of data. Aggregators and joiners are transforms of another type."""

    type: ClassVar[StageType] = "transform"
    takes: ClassVar[tuple[int, int | None]] = (1, 1)

    @abstractmethod
    def apply(self, context: "StageContext", inputs: Mapping[str, Any]) -> Any:
        """The data that comes out, as a DataFrame; `inputs` are DataFrames by the names of their stages."""


class Sink(Plugin):
    """Where data goes."""

    type = "sink"
    takes = (1, 1)

    def dataset(self, namespace: str) -> MetadataEntity | None:
        """The dataset that is written, where it has a name."""
        return None

    def part(self) -> str:
        """The folders of partitions of that dataset which alone are written, as `/day=mon`; nothing where it is the whole."""
        return ""

    @abstractmethod
    def write(self, context: "StageContext", data: Any) -> None:
        """Write a DataFrame."""


class Action(Plugin):
    """What is done without data, in its turn."""

    type = "action"

    @abstractmethod
    def act(self, context: "StageContext") -> None:
        """Do it."""


def absent(pointer: str, names: Iterable[str], columns: Columns) -> Iterable[Problem]:
    """Columns that are named and do not come in. Letter case does not matter, as with Spark."""
    if columns is not None:
        known = {name.lower() for name in columns}
        for name in names:
            if "." not in name and name.lower() not in known:
                yield Problem(pointer, f"no column {name} comes in, but {', '.join(columns)}")
