"""What is wrong with a pipeline, found before anything of it runs (docs/pipelines.md)."""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from jupyter_colophon.core.documents.json_schema import Dialect, Schema
from jupyter_colophon.core.documents.pointer import written
from jupyter_colophon.core.errors import InvalidInstance, Problem
from jupyter_colophon.core.package_data import schemas_dir
from jupyter_colophon.pipelines import graph, macros
from jupyter_colophon.pipelines.document import Pipeline, Stage
from jupyter_colophon.pipelines.plugin import Columns, Plugin
from jupyter_colophon.pipelines.plugin_registry import Plugins

SPACE, SCHEMA = "pipelines", "pipeline"
Document = Mapping[str, Any]
#: By these names plugins may find their datasets in every pipeline (spec CAPTURE-11).
_CONVENTION = ("source", "sink")


def checked(name: str, document: Document, plugins: Plugins, arguments: Mapping[str, str] | None = None) -> "Prepared":
    """The pipeline, ready to run with these arguments. Raises InvalidInstance with everything that is wrong."""
    if problems := _shape().problems({"display_name": name, "schema_name": SCHEMA, **document}):
        raise InvalidInstance(f"pipeline {name}", problems)
    return prepared(name, document, plugins, arguments, schemas=True)


def prepared(
    name: str,
    document: Document,
    plugins: Plugins,
    arguments: Mapping[str, str] | None = None,
    *,
    schemas: bool = False,
) -> "Prepared":
    """The same of a document that was checked before, perhaps with other arguments: plugins' schemas are not looked at."""
    pipeline = Pipeline.of(name, document["metadata"])
    whole = {**pipeline.arguments, **(arguments or {})}
    found = _Check(pipeline, plugins, whole, schemas=schemas)
    if problems := (*_unknown(pipeline, plugins, arguments or {}), *found.problems()):
        raise InvalidInstance(f"pipeline {name}", problems)
    return Prepared(pipeline, whole, found.made)


class Prepared:
    """A pipeline that was checked, its arguments, and a plugin for each stage."""

    def __init__(self, pipeline: Pipeline, arguments: Mapping[str, str], made: Mapping[str, Plugin]) -> None:
        self.pipeline, self.arguments, self.plugins = pipeline, arguments, made

    @property
    def order(self) -> tuple[Stage, ...]:
        """The stages as they are worked on: what only tells Spark what to do goes before what does something."""
        return graph.order(self.pipeline)


def _unknown(pipeline: Pipeline, plugins: Plugins, arguments: Mapping[str, str]) -> Iterator[Problem]:
    """Arguments that nothing of the pipeline reads: a name that was misspelt would change nothing, and tell nobody."""
    kinds = (plugins.get(one.type, one.plugin) for one in pipeline.stages)
    read = {name for kind in kinds if kind is not None for name in kind.arguments}
    known = read.union(_CONVENTION, pipeline.arguments, *(macros.named(one.properties) for one in pipeline.stages))
    for name in arguments:
        if name not in known:
            yield Problem(
                "/arguments" + written([name]), f"the pipeline reads no argument {name}, but {', '.join(sorted(known))}"
            )


@cache
def _shape() -> Schema:
    text = (schemas_dir() / "schemaspaces" / SPACE / f"{SCHEMA}.json").read_text("utf-8")
    return Schema(json.loads(text), dialect=Dialect.DRAFT_7)


class _Check:
    """One look at one pipeline. Stages after one that is wrong are looked at all the same."""

    def __init__(self, pipeline: Pipeline, plugins: Plugins, arguments: Mapping[str, str], *, schemas: bool) -> None:
        self._pipeline, self._plugins, self._arguments, self._schemas = pipeline, plugins, arguments, schemas
        self.made: dict[str, Plugin] = {}
        self._columns: dict[str, Columns] = {}

    def problems(self) -> Iterator[Problem]:
        """Everything, stage by stage and then the graph."""
        for stage in self._pipeline.stages:
            yield from self._stage(stage)
        yield from graph.problems(self._pipeline, {name: made.takes for name, made in self.made.items()})
        for stage in graph.order(self._pipeline):
            if stage.name in self.made:
                yield from self._flow(stage, self.made[stage.name])

    def _stage(self, stage: Stage) -> Iterable[Problem]:
        kind = self._plugins.get(stage.type, stage.plugin)
        if kind is None:
            known = ", ".join(self._plugins.names(stage.type))
            return (Problem(f"{stage.pointer}/plugin", f"no {stage.type} is called so, but {known}"),)
        at = f"{stage.pointer}/properties"
        lacking = tuple(macros.missing(stage.properties, self._arguments, at))
        if lacking:
            return lacking
        told = macros.properties(stage.properties, kind.properties, self._arguments)
        problems = Schema(kind.schema()).problems(told) if self._schemas else ()
        found = tuple(Problem(at + one.pointer, one.message) for one in problems)
        if not found:
            self.made[stage.name] = kind(stage.name, told)
        return found

    def _flow(self, stage: Stage, plugin: Plugin) -> Iterator[Problem]:
        inputs = [self._columns.get(one.name) for one in self._pipeline.inputs(stage)]
        for one in plugin.faults(inputs):
            yield Problem(f"{stage.pointer}/properties{one.pointer}", one.message)
        self._columns[stage.name] = plugin.columns(inputs) if stage.gives else None
