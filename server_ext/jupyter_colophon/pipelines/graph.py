"""The graph of the stages of a pipeline: its order, and its problems."""

from collections.abc import Iterator, Mapping

from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.document import PipelineDefinition, Stage

#: Minimum and maximum number of inputs.
Takes = tuple[int, int | None]


def order_stages(pipeline: PipelineDefinition) -> tuple[Stage, ...]:
    """Return the stages in topological order, those with output as early as possible, so that analysis errors of Spark are found
    before anything is written. Stages on a cycle are omitted.
    """
    waiting = {stage.name: len(pipeline.list_predecessors(stage.name)) for stage in pipeline.stages}
    ordered: list[Stage] = []
    while ready := [stage for stage in pipeline.stages if waiting.get(stage.name) == 0]:
        first = min(ready, key=lambda stage: (not stage.has_output, stage.index))
        del waiting[first.name]
        ordered.append(first)
        for stage in pipeline.list_successors(first.name):
            if stage.name in waiting:
                waiting[stage.name] -= 1
    return tuple(ordered)


def find_graph_problems(
    pipeline: PipelineDefinition, takes: Mapping[str, Takes], unused: str = ""
) -> Iterator[Problem]:
    """Yield problems of names and connections; `takes` has the stages with a known plugin.

    The output of the stage `unused` need not be used.
    """
    yield from _find_name_problems(pipeline)
    yield from _find_connection_problems(pipeline)
    done = {other.name for other in order_stages(pipeline)}
    for stage in pipeline.stages:
        if stage.name not in done:
            yield Problem(stage.pointer, f"stage {stage.name} is part of a cycle, or follows one")
        elif stage.name in takes:
            yield from _find_input_problems(pipeline, stage, takes[stage.name])
            if stage.name != unused:
                yield from _find_output_problems(pipeline, stage)


def _find_name_problems(pipeline: PipelineDefinition) -> Iterator[Problem]:
    names: set[str] = set()
    for stage in pipeline.stages:
        if stage.name.lower() in names:
            yield Problem(f"{stage.pointer}/name", f"duplicate stage name {stage.name}")
        names.add(stage.name.lower())


def _find_connection_problems(pipeline: PipelineDefinition) -> Iterator[Problem]:
    connections: set[tuple[str, str]] = set()
    for at, (first, other) in enumerate(pipeline.connections):
        pointer = f"/metadata/connections/{at}"
        for end, name in (("from", first), ("to", other)):
            if pipeline.get_stage(name) is None:
                yield Problem(f"{pointer}/{end}", f"unknown stage {name}")
        if (first, other) in connections:
            yield Problem(pointer, f"duplicate connection from {first} to {other}")
        connections.add((first, other))
        source, target = pipeline.get_stage(first), pipeline.get_stage(other)
        if source is not None and target is not None and source.has_output and target.type in ("source", "action"):
            yield Problem(f"{pointer}/to", f"stage {other} accepts no input, but {first} has output")


def _find_input_problems(pipeline: PipelineDefinition, stage: Stage, takes: Takes) -> Iterator[Problem]:
    least, most = takes
    count = len(pipeline.list_input_stages(stage))
    if stage.type not in ("source", "action") and (count < least or (most is not None and count > most)):
        required = f"{least}" if least == most else f"{least} or more" if most is None else f"{least} to {most}"
        yield Problem(stage.pointer, f"stage {stage.name} has {count} inputs instead of {required}")


def _find_output_problems(pipeline: PipelineDefinition, stage: Stage) -> Iterator[Problem]:
    if stage.has_output and not any(
        successor.has_output or successor.type == "sink" for successor in pipeline.list_successors(stage.name)
    ):
        yield Problem(stage.pointer, f"the output of stage {stage.name} is not used")
