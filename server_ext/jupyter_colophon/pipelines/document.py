"""The definition of a pipeline: an instance of the schemaspace `pipelines`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from jupyter_colophon.core.identity.names import Urn, make_program_urn

StageType = Literal["source", "transform", "aggregator", "joiner", "sink", "action"]
#: The stages with output data.
OUTPUT_TYPES: frozenset[StageType] = frozenset({"source", "transform", "aggregator", "joiner"})
#: The type of a pipeline's program.
PROGRAM_TYPE = "workflows"


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage, and its position in the document."""

    name: str
    type: StageType
    plugin: str
    properties: Mapping[str, Any]
    index: int

    @property
    def pointer(self) -> str:
        """Return the JSON pointer of the stage in the instance."""
        return f"/metadata/stages/{self.index}"

    @property
    def has_output(self) -> bool:
        """Return whether the stage has output data."""
        return self.type in OUTPUT_TYPES


@dataclass(frozen=True, slots=True)
class PipelineDefinition:
    """A pipeline whose document satisfies its schema."""

    name: str
    namespace: str
    stages: tuple[Stage, ...]
    connections: tuple[tuple[str, str], ...] = ()
    arguments: Mapping[str, str] = field(default_factory=dict)
    retries: int = 0
    #: The propagation rule for sinks; None if there is none.
    propagation: Mapping[str, Any] | None = None
    #: Whether expectations of written datasets are checked (`record`), and fail the run (`fail`); empty: not checked.
    quality: str = ""

    @classmethod
    def from_metadata(cls, name: str, metadata: Mapping[str, Any]) -> "PipelineDefinition":
        """Create a pipeline from an instance's name and its valid `metadata`."""
        stages = (
            Stage(stage["name"], stage["type"], stage["plugin"], stage.get("properties", {}), at)
            for at, stage in enumerate(metadata["stages"])
        )
        return cls(
            name,
            metadata["namespace"],
            tuple(stages),
            tuple((connection["from"], connection["to"]) for connection in metadata.get("connections", ())),
            metadata.get("arguments", {}),
            metadata.get("retries", 0),
            metadata.get("propagation"),
            metadata.get("quality", ""),
        )

    @property
    def program(self) -> Urn:
        """Return the program of its runs, the only one of the application with its name. Raises InvalidName."""
        return make_program_urn(self.namespace, self.name, PROGRAM_TYPE, self.name)

    def get_stage(self, name: str) -> Stage | None:
        """Return the stage with this name, or None."""
        return next((stage for stage in self.stages if stage.name == name), None)

    def list_predecessors(self, name: str) -> tuple[Stage, ...]:
        """Return the direct predecessors of a stage, in the order of the connections."""
        return self._list_existing_stages(source for source, other in self.connections if other == name)

    def list_successors(self, name: str) -> tuple[Stage, ...]:
        """Return the direct successors of a stage."""
        return self._list_existing_stages(other for source, other in self.connections if source == name)

    def list_input_stages(self, stage: Stage) -> tuple[Stage, ...]:
        """Return the direct predecessors with output data; others only run earlier."""
        return tuple(predecessor for predecessor in self.list_predecessors(stage.name) if predecessor.has_output)

    def list_source_stages(self, stage: Stage) -> tuple[Stage, ...]:
        """Return the sources whose data reaches a stage over the connections."""
        return tuple(item for item in self._collect_inputs(stage).values() if item.type == "source")

    def restrict_to_sources_of(self, name: str) -> "PipelineDefinition":
        """Return a pipeline with only this stage and those whose data reaches it."""
        reached = {item for stage in self.stages if stage.name == name for item in self._collect_inputs(stage)}
        return replace(
            self,
            stages=tuple(stage for stage in self.stages if stage.name in reached),
            connections=tuple(ends for ends in self.connections if reached.issuperset(ends)),
        )

    def _collect_inputs(self, stage: Stage) -> dict[str, Stage]:
        """Return a stage and those whose data reaches it over the connections, by their names."""
        reached, waiting = {stage.name: stage}, [stage]
        while waiting:
            for item in self.list_input_stages(waiting.pop()):
                if item.name not in reached:
                    reached[item.name] = item
                    waiting.append(item)
        return reached

    def _list_existing_stages(self, names: Any) -> tuple[Stage, ...]:
        stages = (self.get_stage(name) for name in dict.fromkeys(names))
        return tuple(stage for stage in stages if stage is not None)
