"""Validate a pipeline before it runs (docs/pipelines.md)."""

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
#: Arguments that plugins may read in every pipeline (spec CAPTURE-11).
_CONVENTION = ("source", "sink")


def check_pipeline(
    name: str, document: Document, plugins: Plugins, arguments: Mapping[str, str] | None = None
) -> "Prepared":
    """Return the pipeline, ready to run with these arguments. Raises InvalidInstance with all problems."""
    if problems := _shape().problems({"display_name": name, "schema_name": SCHEMA, **document}):
        raise InvalidInstance(f"pipeline {name}", problems)
    return prepare_pipeline(name, document, plugins, arguments, schemas=True)


def prepare_pipeline(
    name: str,
    document: Document,
    plugins: Plugins,
    arguments: Mapping[str, str] | None = None,
    *,
    schemas: bool = False,
) -> "Prepared":
    """Prepare a document that was validated before, perhaps with other arguments; skip the schemas of plugins by default."""
    pipeline = Pipeline.of(name, document["metadata"])
    whole = {**pipeline.arguments, **(arguments or {})}
    found = _Check(pipeline, plugins, whole, schemas=schemas)
    if problems := (*_unknown_arguments(pipeline, plugins, arguments or {}), *found.problems()):
        raise InvalidInstance(f"pipeline {name}", problems)
    return Prepared(pipeline, whole, found.plugins_by_stage)


class Prepared:
    """A validated pipeline, its arguments, and a plugin for each stage."""

    def __init__(
        self, pipeline: Pipeline, arguments: Mapping[str, str], plugins_by_stage: Mapping[str, Plugin]
    ) -> None:
        self.pipeline, self.arguments, self.plugins = pipeline, arguments, plugins_by_stage

    @property
    def order(self) -> tuple[Stage, ...]:
        """Return the stages in execution order: stages that only define DataFrames precede those that act."""
        return graph.order(self.pipeline)


def _unknown_arguments(pipeline: Pipeline, plugins: Plugins, arguments: Mapping[str, str]) -> Iterator[Problem]:
    """Yield a problem for each argument that the pipeline does not read, such as a misspelled name."""
    kinds = (plugins.get(one.type, one.plugin) for one in pipeline.stages)
    read = {name for kind in kinds if kind is not None for name in kind.arguments}
    known = read.union(
        _CONVENTION, pipeline.arguments, *(macros.macro_names(one.properties) for one in pipeline.stages)
    )
    for name in arguments:
        if name not in known:
            yield Problem(
                "/arguments" + written([name]),
                f"unknown argument {name}; the pipeline reads {', '.join(sorted(known))}",
            )


@cache
def _shape() -> Schema:
    text = (schemas_dir() / "schemaspaces" / SPACE / f"{SCHEMA}.json").read_text("utf-8")
    return Schema(json.loads(text), dialect=Dialect.DRAFT_7)


class _Check:
    """One validation of a pipeline. It also checks the stages after an invalid one."""

    def __init__(self, pipeline: Pipeline, plugins: Plugins, arguments: Mapping[str, str], *, schemas: bool) -> None:
        self._pipeline, self._plugins, self._arguments, self._schemas = pipeline, plugins, arguments, schemas
        self.plugins_by_stage: dict[str, Plugin] = {}
        self._columns: dict[str, Columns] = {}

    def problems(self) -> Iterator[Problem]:
        """Yield all problems, by stage and then of the graph."""
        for stage in self._pipeline.stages:
            yield from self._stage(stage)
        yield from graph.problems(
            self._pipeline, {name: plugin.takes for name, plugin in self.plugins_by_stage.items()}
        )
        for stage in graph.order(self._pipeline):
            if stage.name in self.plugins_by_stage:
                yield from self._flow(stage, self.plugins_by_stage[stage.name])

    def _stage(self, stage: Stage) -> Iterable[Problem]:
        kind = self._plugins.get(stage.type, stage.plugin)
        if kind is None:
            known = ", ".join(self._plugins.names(stage.type))
            return (Problem(f"{stage.pointer}/plugin", f"unknown {stage.type} {stage.plugin}; available: {known}"),)
        at = f"{stage.pointer}/properties"
        lacking = tuple(macros.find_missing(stage.properties, self._arguments, at))
        if lacking:
            return lacking
        settings = macros.properties(stage.properties, kind.properties, self._arguments)
        problems = Schema(kind.schema()).problems(settings) if self._schemas else ()
        found = tuple(Problem(at + one.pointer, one.message) for one in problems)
        if not found:
            self.plugins_by_stage[stage.name] = kind(stage.name, settings)
        return found

    def _flow(self, stage: Stage, plugin: Plugin) -> Iterator[Problem]:
        inputs = [self._columns.get(one.name) for one in self._pipeline.inputs(stage)]
        for one in plugin.faults(inputs):
            yield Problem(f"{stage.pointer}/properties{one.pointer}", one.message)
        self._columns[stage.name] = plugin.columns(inputs) if stage.gives else None
