"""What a plugin finds while its pipeline runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jupyter_colophon.client.programs.context import RunContext, RunMetadata
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.client.programs.record_schema import RecordSchema
from jupyter_colophon.pipelines.document import Pipeline

Origins = Mapping[str, tuple[MetadataEntity, ...]]


@dataclass(frozen=True, slots=True)
class StageContext:
    """One stage's view of the run. `metadata` reads and emits (docs/programs.md), `spark` is the run's session."""

    pipeline: Pipeline
    stage: str
    run: RunContext
    spark: Any
    log: Callable[[str], None]
    #: What the pipeline's sources and sinks read and write, by the names of the stages.
    datasets: Mapping[str, MetadataEntity]
    #: What is known by another name than Spark sees, by the URN of what Spark sees.
    aliases: dict[str, MetadataEntity]
    inputs: Mapping[str, RecordSchema] = field(default_factory=dict)
    output_schema: RecordSchema | None = None
    find_origins: Callable[[], Origins] = dict

    @property
    def origins(self) -> Origins:
        """For each column that comes in, the fields of datasets that its values come from. Asks Spark: keep it."""
        return self.find_origins()

    @property
    def metadata(self) -> RunMetadata:
        """Metadata within the run."""
        return self.run.metadata

    @property
    def arguments(self) -> Mapping[str, str]:
        """The arguments of the run."""
        return self.run.arguments

    @property
    def namespace(self) -> str:
        """The pipeline's namespace, which names leave out."""
        return self.pipeline.namespace

    @property
    def input_schema(self) -> RecordSchema | None:
        """The schema of what comes in; of several inputs that of the first."""
        return next(iter(self.inputs.values()), None)

    def entity_from(self, argument: str) -> MetadataEntity:
        """The dataset that an argument names (by convention `source` and `sink`). Raises LookupError."""
        return self.run.entity_from(argument)
