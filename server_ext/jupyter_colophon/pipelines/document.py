"""The definition of a pipeline: an instance of the schemaspace `pipelines`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from jupyter_colophon.core.identity.names import Urn, program

StageType = Literal["source", "transform", "aggregator", "joiner", "sink", "action"]
#: The stages with output data.
GIVING: frozenset[StageType] = frozenset({"source", "transform", "aggregator", "joiner"})
#: The type of a pipeline's program.
PROGRAM_TYPE = "workflows"


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage, and its position in the document."""

    name: str
    type: StageType
    plugin: str
    properties: Mapping[str, Any]
    at: int

    @property
    def pointer(self) -> str:
        """Return the JSON pointer of the stage in the instance."""
        return f"/metadata/stages/{self.at}"

    @property
    def gives(self) -> bool:
        """Return whether the stage has output data."""
        return self.type in GIVING


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A pipeline whose document satisfies its schema."""

    name: str
    namespace: str
    stages: tuple[Stage, ...]
    connections: tuple[tuple[str, str], ...] = ()
    arguments: Mapping[str, str] = field(default_factory=dict)
    retries: int = 0
    #: The propagation rule for sinks; None if there is none.
    propagation: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, name: str, metadata: Mapping[str, Any]) -> "Pipeline":
        """Create a pipeline from an instance's name and its valid `metadata`."""
        stages = (
            Stage(stage["name"], stage["type"], stage["plugin"], stage.get("properties", {}), at)
            for at, stage in enumerate(metadata["stages"])
        )
        return cls(
            name,
            metadata["namespace"],
            tuple(stages),
            tuple((one["from"], one["to"]) for one in metadata.get("connections", ())),
            metadata.get("arguments", {}),
            metadata.get("retries", 0),
            metadata.get("propagation"),
        )

    @property
    def program(self) -> Urn:
        """Return the program of its runs, the only one of the application with its name. Raises InvalidName."""
        return program(self.namespace, self.name, PROGRAM_TYPE, self.name)

    def stage(self, name: str) -> Stage | None:
        """Return the stage with this name, or None."""
        return next((one for one in self.stages if one.name == name), None)

    def before(self, name: str) -> tuple[Stage, ...]:
        """Return the direct predecessors of a stage, in the order of the connections."""
        return self._found(one for one, other in self.connections if other == name)

    def after(self, name: str) -> tuple[Stage, ...]:
        """Return the direct successors of a stage."""
        return self._found(other for one, other in self.connections if one == name)

    def inputs(self, stage: Stage) -> tuple[Stage, ...]:
        """Return the direct predecessors with output data; others only run earlier."""
        return tuple(one for one in self.before(stage.name) if one.gives)

    def sources(self, stage: Stage) -> tuple[Stage, ...]:
        """Return the sources whose data reaches a stage over the connections."""
        found, waiting = {stage.name: stage}, [stage]
        while waiting:
            for one in self.inputs(waiting.pop()):
                if one.name not in found:
                    found[one.name] = one
                    waiting.append(one)
        return tuple(one for one in found.values() if one.type == "source")

    def _found(self, names: Any) -> tuple[Stage, ...]:
        found = (self.stage(name) for name in dict.fromkeys(names))
        return tuple(one for one in found if one is not None)
