"""Build the DataFrames of the stages of a pipeline, which Spark computes later, if at all."""

import sys
from collections.abc import Callable, Mapping
from typing import Any

from jupyter_colophon.client.programs.context import RunContext
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.client.programs.record_schema import RecordSchema
from jupyter_colophon.pipelines.check import PreparedPipeline
from jupyter_colophon.pipelines.context import Origins, StageContext
from jupyter_colophon.pipelines.document import Stage
from jupyter_colophon.pipelines.plugin import Plugin, SinkPlugin, SourcePlugin, TransformPlugin
from jupyter_colophon.spark.dataframe_columns import find_source_fields
from jupyter_colophon.spark.plans import connectors


class DataFrameBuilder:
    """The DataFrames of one run, in a separate session, whose views and settings are not shared."""

    def __init__(self, prepared: PreparedPipeline, spark: Any, run: RunContext, log: Callable[[str], None]) -> None:
        self._prepared, self._run, self._log = prepared, run, log
        self.spark = spark.newSession()
        for plugin in prepared.plugins.values():
            if plugin.artifact_file:
                _send_artifact_to_executors(self.spark, plugin)
        self._data: dict[str, Any] = {}
        #: Datasets whose plugin uses another name than Spark, by Spark's URN.
        self.aliases: dict[str, MetadataEntity] = {}
        ends = (
            (name, plugin) for name, plugin in prepared.plugins.items() if isinstance(plugin, SourcePlugin | SinkPlugin)
        )
        named = ((name, plugin.get_dataset(prepared.pipeline.namespace)) for name, plugin in ends)
        #: The datasets of sources and sinks, by the names of their stages.
        self.datasets = {name: dataset for name, dataset in named if dataset is not None}

    def require_connectors(self, *stages: Stage) -> None:
        """Raise ConnectorMissing if Spark lacks a connector of these stages."""
        for stage in stages:
            connectors.require_connector(self.spark, self._prepared.plugins[stage.name].get_connector())

    def store_output(self, stage: Stage, data: Any) -> None:
        """Store the output of a stage for the stages after it."""
        self._data[stage.name] = data

    def has_all_inputs(self, stage: Stage) -> bool:
        """Return whether all inputs of a stage were built."""
        return all(source.name in self._data for source in self._prepared.pipeline.list_input_stages(stage))

    def get_inputs(self, stage: Stage) -> dict[str, Any]:
        """Return the inputs of a stage, by the names of the stages before it."""
        return {source.name: self._data[source.name] for source in self._prepared.pipeline.list_input_stages(stage)}

    def build_output(self, stage: Stage, context: StageContext) -> Any:
        """Return the output of a source or transform. Raises exceptions of Spark."""
        plugin = self._prepared.plugins[stage.name]
        if isinstance(plugin, SourcePlugin):
            return plugin.read(context)
        if isinstance(plugin, TransformPlugin):
            return plugin.apply(context, self.get_inputs(stage))
        msg = f"a stage of the type {stage.type} has no output"
        raise TypeError(msg)

    def create_initialized_context(self, stage: Stage) -> StageContext:
        """Return the context of the stage's plugin, after its `initialize`."""
        inputs, plugin = self.get_inputs(stage), self._prepared.plugins[stage.name]
        schemas = {name: RecordSchema.parse(data.schema) for name, data in inputs.items()}
        columns = plugin.get_columns([schema.names for schema in schemas.values()])
        context = StageContext(
            self._prepared.pipeline,
            stage.name,
            self._run,
            self.spark,
            lambda line: self._log(f"{stage.name} {line}"),
            self.datasets,
            self.aliases,
            schemas,
            None if columns is None else RecordSchema.parse(list(columns)),
            lambda: _collect_column_origins(inputs, self.aliases),
        )
        plugin.initialize(context)
        return context


def _send_artifact_to_executors(spark: Any, plugin: Plugin) -> None:
    """Let Spark's executors run functions of an artifact: pickled, since they may have imported another version."""
    from pyspark import cloudpickle

    spark.sparkContext.addPyFile(plugin.artifact_file)
    root = type(plugin).__module__.partition(".")[0]
    cloudpickle.register_pickle_by_value(sys.modules[root])  # type: ignore[no-untyped-call]


def _collect_column_origins(inputs: Mapping[str, Any], aliases: Mapping[str, MetadataEntity]) -> Origins:
    origins: dict[str, tuple[MetadataEntity, ...]] = {}
    for data in inputs.values():
        for column, fields in find_source_fields(data).items():
            entities = ((aliases.get(urn) or MetadataEntity(urn)).append("field", name) for urn, name in fields)
            origins[column] = (*origins.get(column, ()), *entities)
    return origins
