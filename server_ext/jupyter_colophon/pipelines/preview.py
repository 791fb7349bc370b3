"""Preview the output of a pipeline's stages on a sample; nothing is written, recorded or emitted."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jupyter_colophon.client.programs.running import run as begin
from jupyter_colophon.pipelines.build_dataframes import Building
from jupyter_colophon.pipelines.check import Prepared
from jupyter_colophon.spark.error_messages import in_a_line

#: Number of rows read from each source, and shown of each stage.
SAMPLE, SHOWN = 1_000, 20


@dataclass(frozen=True, slots=True)
class Preview:
    """The output of a stage: its columns with types, and some rows as JSON values; or its error."""

    stage: str
    columns: tuple[tuple[str, str], ...] = ()
    rows: tuple[dict[str, Any], ...] = ()
    error: str = ""


def preview(
    prepared: Prepared,
    spark: Any,
    *,
    until: str = "",
    sample: int = SAMPLE,
    shown: int = SHOWN,
    tell: Callable[[str], None] = lambda line: None,
) -> list[Preview]:
    """Return previews of the stages with output, in order, up to the stage `until` or the first failure."""
    pipeline = prepared.pipeline
    found: list[Preview] = []
    with begin(
        str(pipeline.program), namespace=pipeline.namespace, arguments=prepared.arguments, dry_run=True
    ) as context:
        building = Building(prepared, spark, context, tell)
        for stage in (one for one in prepared.order if one.gives):
            try:
                building.require(stage)
                data = building.made(stage, building.context(stage))
                building.keep(stage, data.limit(sample) if stage.type == "source" else data)
                found.append(_shown(stage.name, data, shown))
            except Exception as error:  # noqa: BLE001  a plugin, or Spark, may raise anything
                found.append(Preview(stage.name, error=in_a_line(error)))
            if stage.name == until or found[-1].error:
                break
    return found


def _shown(stage: str, data: Any, count: int) -> Preview:
    from pyspark.sql import functions

    columns = tuple((one.name, one.dataType.simpleString()) for one in data.schema.fields)
    # Use numbered names: column names may contain any character, and may be duplicates.
    sample = data.limit(count).toDF(*(f"c{at}" for at in range(len(columns))))
    # Decimals as strings: JSON numbers would lose trailing zeros and precision.
    exact = {f"c{at}": sample[f"c{at}"].cast("string") for at, (_, kind) in enumerate(columns) if kind[:7] == "decimal"}
    lines = sample.withColumns(exact).select(functions.to_json(functions.struct("*"))).collect()
    parsed = (json.loads(line) for (line,) in lines)
    rows = ({name: row[f"c{at}"] for at, (name, _) in enumerate(columns) if f"c{at}" in row} for row in parsed)
    return Preview(stage, columns, tuple(rows))
