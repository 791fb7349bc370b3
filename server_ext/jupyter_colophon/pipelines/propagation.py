"""Copy metadata from sources to the sinks that use them, if a pipeline has a propagation rule (spec CAPTURE-12)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jupyter_colophon.capture.observation import ColumnFlow, Transformation
from jupyter_colophon.client.programs.context import RunMetadata
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.pipelines.document import PipelineDefinition, Stage

#: Transformations of values. Control dependencies, which only decide about rows, do not propagate metadata.
_VALUES = {Transformation.IDENTITY, Transformation.TRANSFORMATION, Transformation.AGGREGATION}


@dataclass(frozen=True, slots=True)
class PropagationRule:
    """What is propagated: tags and keys as globs, all if both are None; and whether metadata of columns is propagated."""

    tags: list[str] | None = None
    properties: list[str] | None = None
    fields: bool = True

    @classmethod
    def from_document(cls, rule: Mapping[str, Any]) -> "PropagationRule":
        """Create a rule from the pipeline's document."""
        return cls(rule.get("tags"), rule.get("properties"), rule.get("fields", True))


def emit_propagated_metadata(
    rule: PropagationRule,
    pipeline: PipelineDefinition,
    datasets: Mapping[str, MetadataEntity],
    columns: Iterable[ColumnFlow],
    metadata: RunMetadata,
) -> None:
    """Emit the copied metadata, along connections and column lineage. Raises MetadataUnavailable, RequestFailed."""
    edges = set(columns) if rule.fields else set()
    for sink in (stage for stage in pipeline.stages if stage.type == "sink" and stage.name in datasets):
        for source in sorted({stage.name for stage in _find_upstream_sources(pipeline, sink)} & datasets.keys()):
            source_entity, sink_entity = datasets[source], datasets[sink.name]
            metadata.propagate(source_entity, sink_entity, rule.properties, rule.tags)
            for field, target_field in _list_field_pairs(edges, source_entity.urn, sink_entity.urn):
                metadata.propagate(
                    source_entity.append("field", field),
                    sink_entity.append("field", target_field),
                    rule.properties,
                    rule.tags,
                )


def _list_field_pairs(edges: Iterable[ColumnFlow], source: str, sink: str) -> list[tuple[str, str]]:
    matching = (edge for edge in edges if (edge.source_urn, edge.target_urn) == (source, sink))
    return sorted({(edge.source_field, edge.target_field) for edge in matching if edge.transformation in _VALUES})


def _find_upstream_sources(pipeline: PipelineDefinition, stage: Stage) -> Iterator[Stage]:
    """Yield the sources whose data flows into a stage."""
    waiting, seen = [*pipeline.list_input_stages(stage)], set()
    while waiting:
        candidate = waiting.pop()
        if candidate.name not in seen:
            seen.add(candidate.name)
            waiting += pipeline.list_input_stages(candidate)
            if candidate.type == "source":
                yield candidate
