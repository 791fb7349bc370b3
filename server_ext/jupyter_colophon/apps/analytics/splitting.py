"""The job that splits data with Spark."""

from collections.abc import Mapping, Sequence
from typing import Any

from jupyter_colophon.apps import Urn
from jupyter_colophon.apps.analytics.frames import quote_column, read_source, select_typed, store_as_parquet
from jupyter_colophon.apps.analytics.job_rows import JobFailed, JobRow
from jupyter_colophon.apps.analytics.names import PARTS, get_path_in_folder, make_part_urn, name_part_file
from jupyter_colophon.apps.analytics.outputs import WrittenDataset
from jupyter_colophon.apps.analytics.statistics import compute_statistics


def split_data(row: JobRow, experiment: Mapping[str, Any], split: Mapping[str, Any]) -> None:
    """Split the data of an experiment, and store both parts with their statistics. Raises JobFailed."""
    context, columns = row.context, [experiment["outcome"], *experiment["predictors"]]
    row.report("starting Spark")
    spark = context.spark
    row.report("reading and splitting the data")
    data = select_typed(read_source(spark, experiment["source"]), columns)
    data = data.where(quote_column(experiment["outcome"]["name"]).isNotNull())
    data = _choose_parts(data.toDF(*(f"c{at}" for at in range(len(columns)))), split).cache()
    try:
        rows = {item["part"]: item["count"] for item in data.groupBy("part").count().collect()}
        for part in PARTS:
            if not rows.get(part):
                raise JobFailed(f"the {part} part has no rows: the data has {sum(rows.values())} rows with an outcome")
        row.report("computing statistics")
        statistics = compute_statistics(data, columns)
        row.report("storing the parts")
        for part in PARTS:
            _store_part(row, data, columns, split, part)
    finally:
        data.unpersist()
    result = {part: {"rows": rows[part], "dataset": str(make_part_urn(row.key, part))} for part in PARTS}
    row.finish({**result, "statistics": statistics}, _record(row, experiment, split, result))


def _choose_parts(data: Any, split: Mapping[str, Any]) -> Any:
    """Return the rows with their part, by random numbers that the seed determines; stratified, for each outcome."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    chance = data.withColumn("chance", F.rand(split["seed"]))
    if split["type"] == "stratified":
        of_class = Window.partitionBy("c0")
        share = F.row_number().over(of_class.orderBy("chance")) / F.count("*").over(of_class)
        is_train = share <= split["trainFraction"] + 1e-9
    else:
        is_train = F.col("chance") < split["trainFraction"]
    return chance.withColumn("part", F.when(is_train, PARTS[0]).otherwise(PARTS[1])).drop("chance")


def _store_part(
    row: JobRow, data: Any, columns: Sequence[Mapping[str, str]], split: Mapping[str, Any], part: str
) -> None:
    chosen = data.where(data["part"] == part).drop("part").toDF(*(column["name"] for column in columns))
    path = get_path_in_folder(row.key[1], split, part)
    if path is None:
        store_as_parquet(row.context, chosen, name_part_file(row.key[1], split["name"], part))
    else:
        chosen.write.parquet(path)


def _record(
    row: JobRow, experiment: Mapping[str, Any], split: Mapping[str, Any], result: Mapping[str, Mapping[str, Any]]
) -> str:
    source = Urn.parse(experiment["source"]["dataset"])
    types = {column["name"]: column["type"] for column in (experiment["outcome"], *experiment["predictors"])}
    outputs = [
        WrittenDataset(
            Urn.parse(of_part["dataset"]),
            types,
            f"The {part} part of the split {split['name']} of the experiment {experiment['name']}",
            {"rows": str(of_part["rows"]), "split": split["type"], "seed": str(split["seed"])},
        )
        for part, of_part in result.items()
    ]
    columns = {(output.urn, name): [(source, name)] for output in outputs for name in types}
    return row.run.record_success([source], outputs, columns)
