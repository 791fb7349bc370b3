"""Capture of reads and writes of DataFrames."""

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import pytest
from jupyter_colophon.capture.observation import DatasetKind, MissingDetail, Observation, SchemaField
from pyspark.sql import functions as F


def test_each_way_to_save_table_is_one_write(watch: Any) -> None:
    table = watch.create_table_name()
    orders = watch.spark.table("shop.orders")
    ways: list[Callable[[], object]] = [
        lambda: orders.write.saveAsTable(table),
        lambda: orders.write.mode("append").saveAsTable(table),
        lambda: orders.write.mode("overwrite").saveAsTable(table),
        lambda: orders.write.mode("overwrite").partitionBy("day").format("orc").saveAsTable(table),
        lambda: orders.write.insertInto(table),
        lambda: orders.writeTo(watch.create_table_name()).using("parquet").create(),
    ]
    for way in ways:
        observation = one(watch.run_and_observe(way))
        assert [watch.shorten_urn(ref.urn) for ref in observation.reads] == ["shop.orders"]
        assert [ref.kind for ref in observation.writes] == [DatasetKind.TABLE]
        assert {(edge.source_field, edge.target_field) for edge in observation.columns} == {
            (name, name) for name in ("id", "customer", "amount", "day")
        }


def test_ignore_mode_on_existing_table_is_no_write(watch: Any) -> None:
    orders, table = watch.spark.table("shop.orders"), watch.create_table_name()
    orders.write.saveAsTable(table)
    assert watch.run_and_observe(lambda: orders.write.mode("ignore").saveAsTable(table)) == []
    path = f"{watch.folder}/ignored"
    assert len(watch.run_and_observe(lambda: orders.write.mode("ignore").parquet(path))) == 1
    assert watch.run_and_observe(lambda: orders.write.mode("ignore").parquet(path)) == []


def test_table_write_has_schema_format_and_location(watch: Any) -> None:
    table = watch.create_table_name()
    query = watch.spark.sql(
        "SELECT id, array(day) AS days, named_struct('n', 1) AS s, CAST(1 AS DECIMAL(9, 2)) AS d FROM shop.orders"
    )
    (ref,) = one(watch.run_and_observe(lambda: query.write.saveAsTable(table))).writes
    assert ref.fields == (
        SchemaField("id", "bigint", True),
        SchemaField("days", "array<string>", False),
        SchemaField("s", "struct<n:int>", False),
        SchemaField("d", "decimal(9,2)", True),
    )
    assert ref.format == "parquet"
    assert ref.location is not None
    assert ref.location.startswith("file:/")
    assert ref.location.endswith(table.replace(".", ".db/"))


@pytest.mark.parametrize("format_", ["parquet", "csv", "json", "orc"])
def test_files_are_named_by_folder_on_write_and_read(watch: Any, format_: str) -> None:
    path = f"{watch.folder}/some {format_} (new), 100%"
    written = one(watch.run_and_observe(lambda: watch.spark.table("shop.customers").write.format(format_).save(path)))
    (ref,) = written.writes
    assert (ref.kind, ref.format, ref.location) == (DatasetKind.FILE, format_, f"file:{path}")
    assert ref.urn.endswith(f"some {format_} %28new%29%2C 100%25,PROD)")
    assert [field.path for field in ref.fields or ()] == ["id", "name", "city"]
    read = watch.run_and_observe(lambda: watch.spark.read.format(format_).load(path).collect())
    assert {ref.urn for observation in read for ref in observation.reads} == {ref.urn}


def test_text_files_have_no_schema(watch: Any) -> None:
    path = f"{watch.folder}/words"
    watch.run_and_observe(lambda: watch.spark.sql("SELECT day FROM shop.orders").write.text(path))
    (ref,) = one(watch.run_and_observe(lambda: watch.spark.read.text(path).collect())).reads
    assert (watch.shorten_urn(ref.urn), ref.fields) == ("/words", None)


def test_every_action_on_table_is_a_read(watch: Any) -> None:
    orders = watch.spark.table("shop.orders")
    actions: list[Callable[[], object]] = [
        orders.collect,
        orders.count,
        orders.show,
        orders.toPandas,
        orders.first,
        lambda: orders.take(1),
        lambda: orders.toArrow(),
        lambda: orders.describe().collect(),
    ]
    for action in actions:
        seen = watch.run_and_observe(action)
        assert {watch.shorten_urn(ref.urn) for observation in seen for ref in observation.reads} == {"shop.orders"}
        assert all(not observation.writes and not observation.failed for observation in seen)


def test_dataframe_of_values_has_no_source(watch: Any) -> None:
    assert watch.run_and_observe(lambda: watch.spark.range(3).collect()) == []
    for rows in ([(1, "a")], pd.DataFrame({"x": [1], "y": ["a"]})):
        table = watch.create_table_name()
        frame = watch.spark.createDataFrame(rows, "x long, y string")
        observation = one(watch.run_and_observe(lambda frame=frame, table=table: frame.write.saveAsTable(table)))
        assert observation.reads == ()
        assert observation.columns == ()
        assert [watch.shorten_urn(ref.urn) for ref in observation.writes] == [table]


def test_python_functions_keep_column_lineage(watch: Any) -> None:
    @F.udf("long")
    def plus(value):
        return value + 1

    def halve(values: pd.Series) -> pd.Series:
        return values / 2

    half = F.pandas_udf(halve, "double")

    def doubled(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for frame in frames:
            yield frame[["id"]] * 2

    orders = watch.spark.table("shop.orders")
    frame = orders.select(plus("id").alias("more"), half("amount").alias("less"))
    assert edges(one(watch.run_and_observe(lambda: frame.write.saveAsTable(watch.create_table_name())))) == {
        ("id", "more", "transformation"),
        ("amount", "less", "transformation"),
    }
    mapped = orders.select("id").mapInPandas(doubled, "id long")
    assert edges(one(watch.run_and_observe(lambda: mapped.write.saveAsTable(watch.create_table_name())))) == {
        ("id", "id", "transformation")
    }


def test_script_and_lateral_join_columns_come_from_their_inputs(watch: Any) -> None:
    orders = watch.spark.table("shop.orders")
    script = watch.spark.sql("SELECT TRANSFORM(id, day) USING 'cat' AS (one STRING, other STRING) FROM shop.orders")
    taken_apart = watch.spark.tvf.explode(F.array(F.col("id").outer(), F.col("customer").outer())).toDF("each")
    lateral = orders.select("id", "customer").lateralJoin(taken_apart)
    kept = {("id", "id", "identity"), ("customer", "customer", "identity")}
    for frame, expected in (
        (script, {(source, target, "transformation") for source in ("id", "day") for target in ("one", "other")}),
        (lateral, kept | {(source, "each", "transformation") for source in ("id", "customer")}),
    ):
        observation = write(
            watch.run_and_observe(lambda frame=frame: frame.write.saveAsTable(watch.create_table_name()))
        )
        assert (edges(observation), observation.missing) == (expected, ())


def test_cached_and_temporary_views_are_traced_to_tables(watch: Any) -> None:
    kept = watch.spark.table("shop.orders").groupBy("day").agg(F.sum("amount").alias("total")).cache()
    kept.count()
    kept.createOrReplaceTempView("totals")
    observation = one(
        watch.run_and_observe(lambda: watch.spark.table("totals").write.saveAsTable(watch.create_table_name()))
    )
    assert [watch.shorten_urn(ref.urn) for ref in observation.reads] == ["shop.orders"]
    flows = {("day", "day", "identity"), ("amount", "total", "aggregation")}
    assert edges(observation) == {*flows, ("day", "total", "group_by")}
    kept.unpersist()


def test_multi_insert_statement_is_one_write_per_table(watch: Any) -> None:
    one_table, other_table = watch.create_table_name(), watch.create_table_name()
    for table in (one_table, other_table):
        watch.spark.sql(f"CREATE TABLE {table} (x BIGINT) USING parquet")
    seen = watch.run_and_observe(
        lambda: watch.spark.sql(
            f"FROM shop.orders INSERT INTO {one_table} SELECT id INSERT INTO {other_table} SELECT customer"
        )
    )
    found = {watch.shorten_urn(observation.writes[0].urn): edges(observation) for observation in seen}
    assert found == {one_table: {("id", "x", "identity")}, other_table: {("customer", "x", "identity")}}


def test_jdbc_table_is_named_without_password(watch: Any) -> None:
    url = "jdbc:derby:memory:depot;create=true;user=me;password=hidden"
    orders = watch.spark.table("shop.orders").select("id")
    seen = watch.run_and_observe(lambda: orders.write.jdbc(url, "STOCK", mode="append"))
    observation = write(seen)
    assert [ref.urn for ref in observation.writes] == ["urn:li:dataset:(urn:li:dataPlatform:derby,depot.STOCK,PROD)"]
    read = one(watch.run_and_observe(lambda: watch.spark.read.jdbc(url, "STOCK").collect()))
    assert read.reads[0].urn == observation.writes[0].urn
    assert "hidden" not in repr((observation, read))
    query = watch.spark.read.jdbc(url, "(SELECT 1 AS x FROM STOCK) q")
    unnamed = one(watch.run_and_observe(query.collect))
    assert (unnamed.reads, unnamed.missing) == ((), (MissingDetail.SOURCE,))


def test_table_of_other_catalog_has_catalog_in_name(watch: Any) -> None:
    prefix = "spark.sql.catalog.depot"
    watch.spark.conf.set(prefix, "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog")
    watch.spark.conf.set(f"{prefix}.url", "jdbc:derby:memory:other;create=true")
    watch.spark.conf.set(f"{prefix}.driver", "org.apache.derby.jdbc.EmbeddedDriver")
    made = write(
        watch.run_and_observe(lambda: watch.spark.sql("CREATE TABLE depot.APP.BIN AS SELECT id AS N FROM shop.orders"))
    )
    (ref,) = made.writes
    assert watch.shorten_urn(ref.urn) == "depot/app.bin"
    added = write(
        watch.run_and_observe(lambda: watch.spark.sql("INSERT INTO depot.APP.BIN SELECT customer FROM shop.orders"))
    )
    assert [write.urn for write in added.writes] == [ref.urn]
    assert edges(added) == {("customer", "N", "identity")}
    read = one(watch.run_and_observe(lambda: watch.spark.sql("SELECT * FROM depot.APP.BIN").collect()))
    assert [each.urn for each in read.reads] == [ref.urn]
    renamed = one(watch.run_and_observe(lambda: watch.spark.sql("ALTER TABLE depot.APP.BIN RENAME TO APP.BOX")))
    assert (renamed.reads, renamed.writes, renamed.missing) == ((), (), (MissingDetail.NAME,))


def test_foreach_batch_writes_are_captured(watch: Any) -> None:
    table = watch.create_table_name()
    stream = watch.spark.readStream.schema("id long").parquet(f"{watch.folder}/numbers")

    def put(batch: Any, number: int) -> None:
        batch.write.mode("append").saveAsTable(table)

    def run() -> None:
        writer = stream.writeStream.foreachBatch(put).trigger(availableNow=True)
        writer.option("checkpointLocation", f"{watch.folder}/checkpoint").start().awaitTermination()

    # The others report the state of the stream alone.
    (seen,) = [each for each in watch.run_and_observe(run) if each.reads or each.writes or each.missing]
    assert ([watch.shorten_urn(ref.urn) for ref in (*seen.reads, *seen.writes)], seen.missing) == (
        ["/numbers", table],
        (),
    )
    assert edges(seen) == {("id", "id", "identity")}


def one(seen: list[Observation]) -> Observation:
    assert len(seen) == 1, seen
    return seen[0]


def write(seen: list[Observation]) -> Observation:
    """Return the only write; Spark writes over JDBC by a separate action, which reads."""
    return one([observation for observation in seen if observation.writes])


def edges(observation: Observation) -> set[tuple[str, str, str]]:
    return {(edge.source_field, edge.target_field, str(edge.transformation)) for edge in observation.columns}


def test_list_of_files_reads_each_file(watch: Any) -> None:
    for count in (1, 20, 21, 500):
        folder = watch.folder / f"list-{count}"
        folder.mkdir()
        paths = [folder / f"{number}.csv" for number in range(count)]
        for path in paths:
            path.write_text("1\n")
        for place in ([str(path) for path in paths], f"{folder}/*.csv"):
            frame = watch.spark.read.schema("id long").csv(place)
            table = watch.create_table_name()
            observation = write(watch.run_and_observe(lambda frame=frame, table=table: frame.write.saveAsTable(table)))
            assert sorted(watch.shorten_urn(ref.urn) for ref in observation.reads) == sorted(
                f"/list-{count}/{path.name}" for path in paths
            )
            assert (len(observation.columns), observation.missing) == (count, ())


def test_random_split_sort_is_not_a_control_dependency(watch: Any) -> None:
    orders = watch.spark.table("shop.orders")
    part, sample = orders.randomSplit([0.5, 0.5], 1)[0], orders.sort("day").sample(0.5)
    for frame, controls in ((part, set()), (sample, {("day", "id", "sort")})):
        table = watch.create_table_name()
        observation = write(
            watch.run_and_observe(lambda frame=frame, table=table: frame.select("id").write.saveAsTable(table))
        )
        assert edges(observation) == {("id", "id", "identity")} | controls


def test_saved_mllib_model_is_one_entity(watch: Any) -> None:
    from pyspark.ml import Pipeline, PipelineModel
    from pyspark.ml.feature import SQLTransformer

    path = f"{watch.folder}/model"
    stages = [SQLTransformer(statement="SELECT id FROM __THIS__")]
    model = Pipeline(stages=stages).fit(watch.spark.table("shop.orders"))
    seen = watch.run_and_observe(lambda: model.save(path))
    urn = f"urn:li:mlModel:(urn:li:dataPlatform:file,{path},PROD)"
    assert {(ref.urn, ref.kind, ref.format) for each in seen for ref in each.writes} == {(urn, "model", "mllib")}
    assert {each.missing for each in seen} == {(MissingDetail.MODEL,)}
    seen = watch.run_and_observe(lambda: PipelineModel.load(path))
    assert {ref.urn for each in seen for ref in each.reads} == {urn}
    seen = watch.run_and_observe(
        lambda: watch.spark.range(1).selectExpr("'x'").write.text(f"{watch.folder}/plain/metadata")
    )
    assert [watch.shorten_urn(ref.urn) for each in seen for ref in each.writes] == ["/plain/metadata"]
