"""Validate a pipeline before it runs (docs/pipelines.md)."""

import json
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from jupyter_colophon.core.documents.json_schema import Schema, SchemaDialect
from jupyter_colophon.core.documents.pointer import format_pointer
from jupyter_colophon.core.errors import InvalidInstance, Problem
from jupyter_colophon.core.package_data import find_schemas_dir
from jupyter_colophon.pipelines import graph, macros
from jupyter_colophon.pipelines.document import PipelineDefinition, Stage
from jupyter_colophon.pipelines.plugin import Columns, Plugin
from jupyter_colophon.pipelines.plugin_registry import PluginRegistry

SPACE, SCHEMA = "pipelines", "pipeline"
Document = Mapping[str, Any]
#: Arguments that plugins may read in every pipeline (spec CAPTURE-11).
_CONVENTION = ("source", "sink")


def check_pipeline(
    name: str,
    document: Document,
    plugins: PluginRegistry,
    arguments: Mapping[str, str] | None = None,
    *,
    until: str = "",
) -> "PipelineCheck":
    """Check a document; with `until` only the stages that lead to this stage, whose output need not be used."""
    if problems := _load_schema().find_all_problems({"display_name": name, "schema_name": SCHEMA, **document}):
        return PipelineCheck(tuple(problems))
    return _check_definition(
        PipelineDefinition.from_metadata(name, document["metadata"]), plugins, arguments, until, schemas=True
    )


def check_and_prepare_pipeline(
    name: str,
    document: Document,
    plugins: PluginRegistry,
    arguments: Mapping[str, str] | None = None,
    *,
    until: str = "",
) -> "PreparedPipeline":
    """Return the pipeline, ready to run with these arguments. Raises InvalidInstance with all problems."""
    return check_pipeline(name, document, plugins, arguments, until=until).require_valid(name)


def prepare_validated_pipeline(
    name: str, document: Document, plugins: PluginRegistry, arguments: Mapping[str, str] | None = None
) -> "PreparedPipeline":
    """Prepare a document that was validated before, perhaps with other arguments; skip the schemas of plugins."""
    pipeline = PipelineDefinition.from_metadata(name, document["metadata"])
    return _check_definition(pipeline, plugins, arguments, "", schemas=False).require_valid(name)


@dataclass(frozen=True, slots=True)
class PipelineCheck:
    """The result of a check."""

    problems: tuple[Problem, ...]
    #: The names of the arguments that the pipeline reads.
    arguments: Set[str] = frozenset()
    #: The columns of the output of each stage; None if they are unknown before the run.
    columns: Mapping[str, Columns] = field(default_factory=dict)
    #: The pipeline, ready to run; None if it is invalid.
    prepared: "PreparedPipeline | None" = None

    def require_valid(self, name: str) -> "PreparedPipeline":
        """Return the pipeline, ready to run. Raises InvalidInstance with all problems."""
        if self.prepared is None:
            raise InvalidInstance(f"pipeline {name}", self.problems)
        return self.prepared


def _check_definition(
    pipeline: PipelineDefinition,
    plugins: PluginRegistry,
    arguments: Mapping[str, str] | None,
    until: str,
    *,
    schemas: bool,
) -> PipelineCheck:
    whole = {**pipeline.arguments, **(arguments or {})}
    names = _list_arguments(pipeline, plugins)
    unknown = tuple(_find_unknown_arguments(names.union(_CONVENTION), arguments or {}))
    if until and pipeline.get_stage(until) is None:
        return PipelineCheck((*unknown, Problem("/stage", f"stage {until} not found")))
    checked = pipeline.restrict_to_sources_of(until) if until else pipeline
    check = _PipelineValidation(checked, plugins, whole, schemas=schemas, unused=until)
    problems = (*unknown, *check.find_problems())
    prepared = None if problems else PreparedPipeline(checked, whole, check.plugins_by_stage)
    return PipelineCheck(problems, names, check.columns, prepared)


class PreparedPipeline:
    """A validated pipeline, its arguments, and a plugin for each stage."""

    def __init__(
        self, pipeline: PipelineDefinition, arguments: Mapping[str, str], plugins_by_stage: Mapping[str, Plugin]
    ) -> None:
        self.pipeline, self.arguments, self.plugins = pipeline, arguments, plugins_by_stage

    @property
    def order(self) -> tuple[Stage, ...]:
        """Return the stages in execution order: stages that only define DataFrames precede those that act."""
        return graph.order_stages(self.pipeline)


def _find_unknown_arguments(known_names: Set[str], arguments: Mapping[str, str]) -> Iterator[Problem]:
    """Yield a problem for each argument that the pipeline does not read, such as a misspelled name."""
    for name in arguments:
        if name not in known_names:
            yield Problem(
                "/arguments" + format_pointer([name]),
                f"unknown argument {name}; the pipeline reads {', '.join(sorted(known_names))}",
            )


def _list_arguments(pipeline: PipelineDefinition, plugins: PluginRegistry) -> frozenset[str]:
    """Return the arguments that the pipeline names, and those that its plugins read."""
    kinds = (plugins.get_plugin(stage.type, stage.plugin) for stage in pipeline.stages)
    read = frozenset(name for kind in kinds if kind is not None for name in kind.arguments)
    return read.union(pipeline.arguments, *(macros.find_macros(stage.properties) for stage in pipeline.stages))


@cache
def _load_schema() -> Schema:
    text = (find_schemas_dir() / "schemaspaces" / SPACE / f"{SCHEMA}.json").read_text("utf-8")
    return Schema(json.loads(text), dialect=SchemaDialect.DRAFT_7)


class _PipelineValidation:
    """One validation of a pipeline. It also checks the stages after an invalid one."""

    def __init__(
        self,
        pipeline: PipelineDefinition,
        plugins: PluginRegistry,
        arguments: Mapping[str, str],
        *,
        schemas: bool,
        unused: str,
    ) -> None:
        self._pipeline, self._plugins, self._arguments, self._schemas = pipeline, plugins, arguments, schemas
        #: The stage whose output need not be used; empty for none.
        self._unused = unused
        self.plugins_by_stage: dict[str, Plugin] = {}
        self.columns: dict[str, Columns] = {}

    def find_problems(self) -> Iterator[Problem]:
        """Yield all problems, by stage and then of the graph."""
        for stage in self._pipeline.stages:
            yield from self._find_stage_problems(stage)
        yield from graph.find_graph_problems(
            self._pipeline, {name: plugin.takes for name, plugin in self.plugins_by_stage.items()}, self._unused
        )
        for stage in graph.order_stages(self._pipeline):
            if stage.name in self.plugins_by_stage:
                yield from self._find_column_problems(stage, self.plugins_by_stage[stage.name])

    def _find_stage_problems(self, stage: Stage) -> Iterable[Problem]:
        kind = self._plugins.get_plugin(stage.type, stage.plugin)
        if kind is None:
            available = ", ".join(self._plugins.list_names(stage.type))
            return (Problem(f"{stage.pointer}/plugin", f"unknown {stage.type} {stage.plugin}; available: {available}"),)
        at = f"{stage.pointer}/properties"
        lacking = tuple(macros.find_macro_problems(stage.properties, self._arguments, at))
        if lacking:
            return lacking
        settings = macros.expand_properties(stage.properties, kind.properties, self._arguments)
        problems = Schema(kind.get_schema()).find_all_problems(settings) if self._schemas else ()
        found_problems = tuple(Problem(at + problem.pointer, problem.message) for problem in problems)
        if not found_problems:
            self.plugins_by_stage[stage.name] = kind(stage.name, settings)
        return found_problems

    def _find_column_problems(self, stage: Stage, plugin: Plugin) -> Iterator[Problem]:
        inputs = [self.columns.get(item.name) for item in self._pipeline.list_input_stages(stage)]
        for item in plugin.find_problems(inputs):
            yield Problem(f"{stage.pointer}/properties{item.pointer}", item.message)
        if stage.has_output:
            self.columns[stage.name] = plugin.get_columns(inputs)
