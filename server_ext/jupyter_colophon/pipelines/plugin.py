"""The base classes of pipeline plugins, which are found by entry points (docs/pipelines.md).

The constructor takes the stage's name and its settings, which satisfy the schema and contain no macros.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.document import StageType

if TYPE_CHECKING:
    from jupyter_colophon.pipelines.context import StageContext

#: The names of a stage's columns, if they are known without Spark.
Columns = tuple[str, ...] | None


class Plugin(ABC):
    """Base class of all plugins. `properties` are the JSON Schemas of a stage's settings, `required` the mandatory ones."""

    type: ClassVar[StageType]
    name: ClassVar[str]
    title: ClassVar[str]
    description: ClassVar[str]
    properties: ClassVar[Mapping[str, Any]] = {}
    required: ClassVar[tuple[str, ...]] = ()
    #: The arguments of a run that the plugin reads directly, without a macro.
    arguments: ClassVar[tuple[str, ...]] = ()
    #: The file that Spark's executors import it from, for a plugin of an artifact; empty for one of a package.
    artifact_file: ClassVar[str] = ""
    #: The minimum and maximum number of input stages; None is unlimited.
    takes: ClassVar[tuple[int, int | None]] = (0, 0)

    def __init__(self, stage: str, settings: Mapping[str, Any]) -> None:
        self.stage, self.settings = stage, settings

    @classmethod
    def get_schema(cls) -> dict[str, Any]:
        """Return the JSON Schema of a stage's properties."""
        return {
            "title": cls.title,
            "description": cls.description,
            "type": "object",
            "properties": dict(cls.properties),
            "required": list(cls.required),
            "additionalProperties": False,
        }

    def find_problems(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Return problems that the schema cannot express, with pointers into the properties; `inputs` follow the connections."""
        return ()

    def get_columns(self, inputs: Sequence[Columns]) -> Columns:
        """Return the output columns, or None if they are unknown before the run."""
        return None

    def list_entities(self, namespace: str) -> Iterable[MetadataEntity]:
        """Return the entities whose metadata the plugin reads, for snapshots of runs without a server (docs/programs.md)."""
        return ()

    def get_connector(self) -> str:
        """Return the Spark data source that the plugin uses, if it may be missing in PySpark."""
        return ""

    def initialize(self, context: "StageContext") -> None:  # noqa: B027  optional hook
        """Read and emit metadata once, before any data is processed."""


class SourcePlugin(Plugin):
    """A plugin that reads data."""

    type = "source"

    def get_dataset(self, namespace: str) -> MetadataEntity | None:
        """Return the dataset that is read, if it has a name."""
        return None

    @abstractmethod
    def read(self, context: "StageContext") -> Any:
        """Return the data as a DataFrame."""

    def list_entities(self, namespace: str) -> Iterable[MetadataEntity]:
        """Return the dataset, whose metadata later stages may read."""
        dataset = self.get_dataset(namespace)
        return () if dataset is None else (dataset,)


class TransformPlugin(Plugin):
    """A plugin that transforms data. Aggregators and joiners are transforms of another type."""

    type: ClassVar[StageType] = "transform"
    takes: ClassVar[tuple[int, int | None]] = (1, 1)

    @abstractmethod
    def apply(self, context: "StageContext", inputs: Mapping[str, Any]) -> Any:
        """Return the output as a DataFrame; `inputs` are DataFrames by the names of their stages."""


class SinkPlugin(Plugin):
    """A plugin that writes data."""

    type = "sink"
    takes = (1, 1)

    def get_dataset(self, namespace: str) -> MetadataEntity | None:
        """Return the dataset that is written, if it has a name."""
        return None

    def get_partition(self) -> str:
        """Return the partition folder that is written, such as `/day=mon`; empty for the whole dataset."""
        return ""

    @abstractmethod
    def write(self, context: "StageContext", data: Any) -> None:
        """Write a DataFrame."""

    def read_written(self, context: "StageContext") -> Any:
        """Return the dataset after the write as a DataFrame, to check its expectations; raises NotImplementedError if it cannot be read."""
        raise NotImplementedError


class ActionPlugin(Plugin):
    """A plugin that acts without data, in its position in the pipeline."""

    type = "action"

    @abstractmethod
    def act(self, context: "StageContext") -> None:
        """Run the action."""


def find_unknown_columns(pointer: str, names: Iterable[str], columns: Columns) -> Iterable[Problem]:
    """Yield a problem for each name that is not an input column. Letter case is ignored, as in Spark."""
    if columns is not None:
        lower_names = {name.lower() for name in columns}
        for name in names:
            if "." not in name and name.lower() not in lower_names:
                yield Problem(pointer, f"unknown input column {name}; available: {', '.join(columns)}")
