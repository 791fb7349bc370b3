"""Copy metadata from sources to the sinks that use them, if a pipeline has a propagation rule (spec CAPTURE-12)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jupyter_colophon.client.programs.context import RunMetadata
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.pipelines.document import Pipeline, Stage
from jupyter_colophon.spark.plans.observation import ColumnEdge, Transformation

#: Transformations of values. Control dependencies, which only decide about rows, do not propagate metadata.
_VALUES = {Transformation.IDENTITY, Transformation.TRANSFORMATION, Transformation.AGGREGATION}


@dataclass(frozen=True, slots=True)
class Rule:
    """What is propagated: tags and keys as globs, all if both are None; and whether metadata of columns is propagated."""

    tags: list[str] | None = None
    properties: list[str] | None = None
    fields: bool = True

    @classmethod
    def from_document(cls, rule: Mapping[str, Any]) -> "Rule":
        """Create a rule from the pipeline's document."""
        return cls(rule.get("tags"), rule.get("properties"), rule.get("fields", True))


def propagate(
    rule: Rule,
    pipeline: Pipeline,
    datasets: Mapping[str, MetadataEntity],
    columns: Iterable[ColumnEdge],
    metadata: RunMetadata,
) -> None:
    """Emit the copied metadata, along connections and column lineage. Raises MetadataUnavailable, RequestFailed."""
    edges = set(columns) if rule.fields else set()
    for sink in (one for one in pipeline.stages if one.type == "sink" and one.name in datasets):
        for source in sorted({one.name for one in _before(pipeline, sink)} & datasets.keys()):
            one, other = datasets[source], datasets[sink.name]
            metadata.propagate(one, other, rule.properties, rule.tags)
            for field, made in _fields(edges, one.urn, other.urn):
                metadata.propagate(one.append("field", field), other.append("field", made), rule.properties, rule.tags)


def _fields(edges: Iterable[ColumnEdge], source: str, sink: str) -> list[tuple[str, str]]:
    meant = (one for one in edges if (one.source_urn, one.target_urn) == (source, sink))
    return sorted({(one.source_field, one.target_field) for one in meant if one.transformation in _VALUES})


def _before(pipeline: Pipeline, stage: Stage) -> Iterator[Stage]:
    """Yield the sources whose data flows into a stage."""
    waiting, seen = [*pipeline.inputs(stage)], set()
    while waiting:
        one = waiting.pop()
        if one.name not in seen:
            seen.add(one.name)
            waiting += pipeline.inputs(one)
            if one.type == "source":
                yield one
