"""The stages of a pipeline as a graph: in which order they go, and what is wrong with it."""

from collections.abc import Iterator, Mapping

from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.document import Pipeline, Stage

#: At least and at most so many inputs.
Takes = tuple[int, int | None]


def order(pipeline: Pipeline) -> tuple[Stage, ...]:
    """The stages, each after those before it; stages that give data as early as can be, so that what Spark finds wrong
    with them is found before anything is written. Those on a cycle are left out."""
    waiting = {one.name: len(pipeline.before(one.name)) for one in pipeline.stages}
    found: list[Stage] = []
    while ready := [one for one in pipeline.stages if waiting.get(one.name) == 0]:
        first = min(ready, key=lambda one: (not one.gives, one.at))
        del waiting[first.name]
        found.append(first)
        for one in pipeline.after(first.name):
            if one.name in waiting:
                waiting[one.name] -= 1
    return tuple(found)


def problems(pipeline: Pipeline, takes: Mapping[str, Takes]) -> Iterator[Problem]:
    """What is wrong with names and connections; `takes` by stage, where its plugin is known."""
    yield from _names(pipeline)
    yield from _connections(pipeline)
    done = {one.name for one in order(pipeline)}
    for stage in pipeline.stages:
        if stage.name not in done:
            yield Problem(stage.pointer, f"stage {stage.name} is on a cycle, or after one")
        elif stage.name in takes:
            yield from _inputs(pipeline, stage, takes[stage.name])
            yield from _outputs(pipeline, stage)


def _names(pipeline: Pipeline) -> Iterator[Problem]:
    known: set[str] = set()
    for stage in pipeline.stages:
        if stage.name.lower() in known:
            yield Problem(f"{stage.pointer}/name", f"another stage is called {stage.name} too")
        known.add(stage.name.lower())


def _connections(pipeline: Pipeline) -> Iterator[Problem]:
    known: set[tuple[str, str]] = set()
    for at, (one, other) in enumerate(pipeline.connections):
        pointer = f"/metadata/connections/{at}"
        for end, name in (("from", one), ("to", other)):
            if pipeline.stage(name) is None:
                yield Problem(f"{pointer}/{end}", f"there is no stage {name}")
        if (one, other) in known:
            yield Problem(pointer, f"{one} and {other} are connected already")
        known.add((one, other))
        source, target = pipeline.stage(one), pipeline.stage(other)
        if source is not None and target is not None and source.gives and target.type in ("source", "action"):
            yield Problem(f"{pointer}/to", f"stage {other} takes no data, and from {one} comes some")


def _inputs(pipeline: Pipeline, stage: Stage, takes: Takes) -> Iterator[Problem]:
    least, most = takes
    count = len(pipeline.inputs(stage))
    if stage.type not in ("source", "action") and (count < least or (most is not None and count > most)):
        wanted = f"{least}" if least == most else f"{least} or more" if most is None else f"{least} to {most}"
        yield Problem(stage.pointer, f"stage {stage.name} takes data of {wanted}, and {count} lead to it")


def _outputs(pipeline: Pipeline, stage: Stage) -> Iterator[Problem]:
    if stage.gives and not any(one.gives or one.type == "sink" for one in pipeline.after(stage.name)):
        yield Problem(stage.pointer, f"what comes out of stage {stage.name} goes nowhere")
