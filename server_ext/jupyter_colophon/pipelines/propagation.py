"""Saying of sinks what is said of the sources that went into them, where a pipeline asks for that (spec CAPTURE-12)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jupyter_colophon.client.programs.context import RunMetadata
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.pipelines.document import Pipeline, Stage
from jupyter_colophon.spark.plans.observation import ColumnEdge, Transformation

#: How a column's values became another's; that they only decided which rows there are is no such way.
_VALUES = {Transformation.IDENTITY, Transformation.TRANSFORMATION, Transformation.AGGREGATION}


@dataclass(frozen=True, slots=True)
class Rule:
    """What goes along: tags and keys as globs, all of them where both are None; and whether columns take along what is said of them."""

    tags: list[str] | None = None
    properties: list[str] | None = None
    fields: bool = True

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> "Rule":
        """As the pipeline's document has it."""
        return cls(told.get("tags"), told.get("properties"), told.get("fields", True))


def propagate(
    rule: Rule,
    pipeline: Pipeline,
    datasets: Mapping[str, MetadataEntity],
    columns: Iterable[ColumnEdge],
    metadata: RunMetadata,
) -> None:
    """Emit it, by the names of stages and how columns came to be. Raises MetadataUnavailable, RequestFailed."""
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
    """The sources whose data goes into a stage."""
    waiting, seen = [*pipeline.inputs(stage)], set()
    while waiting:
        one = waiting.pop()
        if one.name not in seen:
            seen.add(one.name)
            waiting += pipeline.inputs(one)
            if one.type == "source":
                yield one
