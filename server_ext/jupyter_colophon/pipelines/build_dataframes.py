"""Telling Spark what the stages of a pipeline are: DataFrames that are worked on later, or never."""

from collections.abc import Callable, Mapping
from typing import Any

from jupyter_colophon.client.programs.context import RunContext
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.client.programs.record_schema import RecordSchema
from jupyter_colophon.pipelines.check import Prepared
from jupyter_colophon.pipelines.context import Origins, StageContext
from jupyter_colophon.pipelines.document import Stage
from jupyter_colophon.pipelines.plugin import Sink, Source, Transform
from jupyter_colophon.spark.dataframe_columns import origins_of
from jupyter_colophon.spark.plans import connectors


class Building:
    """The data of the stages of one run, in a session of its own: views and settings of a stage are nobody else's."""

    def __init__(self, prepared: Prepared, spark: Any, run: RunContext, log: Callable[[str], None]) -> None:
        self._prepared, self._run, self._log = prepared, run, log
        self.spark = spark.newSession()
        self._data: dict[str, Any] = {}
        #: What plugins say that data is called, by the URN that Spark's own names give it.
        self.aliases: dict[str, MetadataEntity] = {}
        ends = ((name, one) for name, one in prepared.plugins.items() if isinstance(one, Source | Sink))
        named = ((name, one.dataset(prepared.pipeline.namespace)) for name, one in ends)
        #: What sources and sinks read and write, by the names of their stages.
        self.datasets = {name: dataset for name, dataset in named if dataset is not None}

    def require(self, *stages: Stage) -> None:
        """Raise ConnectorMissing unless Spark knows what these stages read and write by."""
        for stage in stages:
            connectors.require(self.spark, self._prepared.plugins[stage.name].connector())

    def keep(self, stage: Stage, data: Any) -> None:
        """What comes out of a stage, for those after it."""
        self._data[stage.name] = data

    def has_inputs(self, stage: Stage) -> bool:
        """Whether all the data that a stage takes was made."""
        return all(one.name in self._data for one in self._prepared.pipeline.inputs(stage))

    def inputs(self, stage: Stage) -> dict[str, Any]:
        """The data that a stage takes, by the names of the stages before it."""
        return {one.name: self._data[one.name] for one in self._prepared.pipeline.inputs(stage)}

    def made(self, stage: Stage, context: StageContext) -> Any:
        """What comes out of a source or a transform. Raises what Spark finds wrong with it."""
        plugin = self._prepared.plugins[stage.name]
        if isinstance(plugin, Source):
            return plugin.read(context)
        if isinstance(plugin, Transform):
            return plugin.apply(context, self.inputs(stage))
        msg = f"no data comes out of a {stage.type}"
        raise TypeError(msg)

    def context(self, stage: Stage) -> StageContext:
        """What the stage's plugin finds; its `initialize` was called with it."""
        inputs, plugin = self.inputs(stage), self._prepared.plugins[stage.name]
        schemas = {name: RecordSchema.of(data.schema) for name, data in inputs.items()}
        made = plugin.columns([schema.names for schema in schemas.values()])
        context = StageContext(
            self._prepared.pipeline,
            stage.name,
            self._run,
            self.spark,
            lambda line: self._log(f"{stage.name} {line}"),
            self.datasets,
            self.aliases,
            schemas,
            None if made is None else RecordSchema.of(list(made)),
            lambda: _origins(inputs, self.aliases),
        )
        plugin.initialize(context)
        return context


def _origins(inputs: Mapping[str, Any], aliases: Mapping[str, MetadataEntity]) -> Origins:
    found: dict[str, tuple[MetadataEntity, ...]] = {}
    for data in inputs.values():
        for column, fields in origins_of(data).items():
            entities = ((aliases.get(urn) or MetadataEntity(urn)).append("field", name) for urn, name in fields)
            found[column] = (*found.get(column, ()), *entities)
    return found
