"""Looking at what the stages of a pipeline give, on a sample: nothing is written, recorded or emitted."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jupyter_colophon.client.programs.running import run as begin
from jupyter_colophon.pipelines.build_dataframes import Building
from jupyter_colophon.pipelines.check import Prepared
from jupyter_colophon.spark.error_messages import in_a_line

#: So many rows of each source are worked on, and so many of each stage are shown.
SAMPLE, SHOWN = 1_000, 20


@dataclass(frozen=True, slots=True)
class Preview:
    """What a stage gives: its columns with their types, and some rows, as JSON has them. Or why it gives nothing."""

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
    """The stages that give data, in order, up to one of them where that is asked for, or to the first that fails."""
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
    # By numbers: names may hold anything, and be there twice.
    sample = data.limit(count).toDF(*(f"c{at}" for at in range(len(columns))))
    # A decimal is text: as a number 10.50 were 10.5, and a long one another one.
    exact = {f"c{at}": sample[f"c{at}"].cast("string") for at, (_, kind) in enumerate(columns) if kind[:7] == "decimal"}
    lines = sample.withColumns(exact).select(functions.to_json(functions.struct("*"))).collect()
    told = (json.loads(line) for (line,) in lines)
    rows = ({name: row[f"c{at}"] for at, (name, _) in enumerate(columns) if f"c{at}" in row} for row in told)
    return Preview(stage, columns, tuple(rows))
