"""The context of a plugin during a run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jupyter_colophon.client.programs.context import RunContext, RunMetadata
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.client.programs.record_schema import RecordSchema
from jupyter_colophon.pipelines.document import PipelineDefinition
from jupyter_colophon.pipelines.metrics import ObservedNumber

Origins = Mapping[str, tuple[MetadataEntity, ...]]


@dataclass(frozen=True, slots=True)
class StageContext:
    """The context of one stage. `metadata` reads and emits (docs/programs.md), `spark` is the run's session."""

    pipeline: PipelineDefinition
    stage: str
    run: RunContext
    spark: Any
    log: Callable[[str], None]
    #: The datasets of sources and sinks, by the names of their stages.
    datasets: Mapping[str, MetadataEntity]
    #: Datasets with another name than in Spark, by Spark's URN.
    aliases: dict[str, MetadataEntity]
    inputs: Mapping[str, RecordSchema] = field(default_factory=dict)
    output_schema: RecordSchema | None = None
    find_origins: Callable[[], Origins] = dict
    #: What `observe_figure` observes, by the names of the figures.
    figures: dict[str, ObservedNumber] = field(default_factory=dict)

    @property
    def origins(self) -> Origins:
        """Return the source fields of each input column. Computed by Spark with each access."""
        return self.find_origins()

    @property
    def metadata(self) -> RunMetadata:
        """Return access to metadata within the run."""
        return self.run.metadata

    @property
    def arguments(self) -> Mapping[str, str]:
        """Return the arguments of the run."""
        return self.run.arguments

    @property
    def namespace(self) -> str:
        """Return the pipeline's namespace, the default for names."""
        return self.pipeline.namespace

    @property
    def input_schema(self) -> RecordSchema | None:
        """Return the schema of the first input."""
        return next(iter(self.inputs.values()), None)

    def entity_from(self, argument: str) -> MetadataEntity:
        """Return the dataset that an argument names (by convention `source` and `sink`). Raises LookupError."""
        return self.run.entity_from(argument)

    def observe_figure(self, name: str, data: Any, aggregate: Any) -> Any:
        """Return a DataFrame, observed so that an aggregate of it, a whole number, is a figure of the stage in the run."""
        number = self.figures[name] = ObservedNumber(name, self.stage)
        return number.observe(data, aggregate)
