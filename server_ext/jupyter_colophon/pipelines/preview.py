"""Preview the output of a pipeline's stages on a sample; nothing is written, recorded or emitted."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jupyter_colophon.client.programs.running import run as begin
from jupyter_colophon.pipelines.build_dataframes import DataFrameBuilder
from jupyter_colophon.pipelines.check import PreparedPipeline
from jupyter_colophon.spark.error_messages import format_spark_error

#: Number of rows read from each source, and shown of each stage.
SAMPLE, MAX_ROWS = 1_000, 20


@dataclass(frozen=True, slots=True)
class StagePreview:
    """The output of a stage: its columns with types, and some rows as JSON values; or its error."""

    stage: str
    columns: tuple[tuple[str, str], ...] = ()
    rows: tuple[dict[str, Any], ...] = ()
    error: str = ""


def preview_stages(
    prepared: PreparedPipeline,
    spark: Any,
    *,
    sample: int = SAMPLE,
    max_rows: int = MAX_ROWS,
    log: Callable[[str], None] = lambda line: None,
) -> list[StagePreview]:
    """Return previews of the stages with output, in order, up to the first failure."""
    pipeline = prepared.pipeline
    previews: list[StagePreview] = []
    with begin(
        str(pipeline.program), namespace=pipeline.namespace, arguments=prepared.arguments, dry_run=True
    ) as context:
        building = DataFrameBuilder(prepared, spark, context, log)
        for stage in (candidate for candidate in prepared.order if candidate.has_output):
            try:
                building.require_connectors(stage)
                data = building.build_output(stage, building.create_initialized_context(stage))
                building.store_output(stage, data.limit(sample) if stage.type == "source" else data)
                previews.append(_sample_rows(stage.name, data, max_rows))
            except Exception as error:  # noqa: BLE001  a plugin, or Spark, may raise anything
                previews.append(StagePreview(stage.name, error=format_spark_error(error)))
            if previews[-1].error:
                break
    return previews


def _sample_rows(stage: str, data: Any, count: int) -> StagePreview:
    from pyspark.sql import functions

    columns = tuple((field.name, field.dataType.simpleString()) for field in data.schema.fields)
    # Use numbered names: column names may contain any character, and may be duplicates.
    sample = data.limit(count).toDF(*(f"c{at}" for at in range(len(columns))))
    # Decimals as strings: JSON numbers would lose trailing zeros and precision.
    exact = {f"c{at}": sample[f"c{at}"].cast("string") for at, (_, kind) in enumerate(columns) if kind[:7] == "decimal"}
    lines = sample.withColumns(exact).select(functions.to_json(functions.struct("*"))).collect()
    parsed = (json.loads(line) for (line,) in lines)
    rows = ({name: row[f"c{at}"] for at, (name, _) in enumerate(columns) if f"c{at}" in row} for row in parsed)
    return StagePreview(stage, columns, tuple(rows))
