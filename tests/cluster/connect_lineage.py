"""The lineage of a notebook with a Spark Connect session.

`make long-connect` runs it. It starts another JVM, which is too slow for `make test`.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyter_colophon.capture.observation import MissingDetail, Observation
from jupyter_colophon.spark.java import ensure_java
from support.captured_notebook import CapturedNotebook, run_captured_notebook
from support.waiting import wait_for

START = """
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.remote("local[1]").config("spark.sql.shuffle.partitions", "1").getOrCreate()
spark.sql("CREATE DATABASE shop")
spark.sql("CREATE TABLE shop.orders AS SELECT id, id * 2 AS amount, id % 3 AS customer FROM range(10)")
spark.sql("CREATE TABLE shop.customers AS SELECT id, concat('n', id) AS name FROM range(3)")
"""


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CapturedNotebook]:
    folder = tmp_path_factory.mktemp("connect").resolve()
    ensure_java()
    with pytest.MonkeyPatch.context() as patch, run_captured_notebook(folder) as notebook:
        patch.chdir(folder)
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        notebook.run("start", START)
        assert (error := notebook.runs[-1].error) is None, error
        yield notebook
        notebook.run("stop", "spark.stop()")


def run(notebook: CapturedNotebook, *cells: str) -> set[tuple[str, str, str]]:
    """Run cells, and return what flowed in them."""
    notebook.capture.wait_until_reported(60)
    notebook.runs.clear()
    return notebook.run_cells(*cells)


def get_observations(notebook: CapturedNotebook) -> list[Observation]:
    return [observation for cell in notebook.runs for observation in cell.observations]


def test_dataframe_is_followed_into_files_by_column(notebook: CapturedNotebook) -> None:
    flows = run(
        notebook,
        "orders = spark.table('shop.orders').filter('customer > 0').select('id', (F.col('amount') + 1).alias('more'))",
        "orders.write.parquet('out')",
    )
    assert flows == {("c2", "shop.orders", "out")}
    assert notebook.list_columns() == {
        ("shop.orders.id", "out.id", "identity"),
        ("shop.orders.amount", "out.more", "transformation"),
        ("shop.orders.customer", "out.id", "filter"),
        ("shop.orders.customer", "out.more", "filter"),
    }
    (written,) = get_observations(notebook)[-1].writes
    assert [(field.path, field.type) for field in written.fields or ()] == [("id", "bigint"), ("more", "bigint")]


def test_joined_columns_belong_to_the_tables_that_have_them(notebook: CapturedNotebook) -> None:
    run(
        notebook,
        "o, c = spark.table('shop.orders'), spark.table('shop.customers').withColumnRenamed('id', 'who')\n"
        "o.join(c, F.col('customer') == F.col('who')).select('name', 'amount').write.saveAsTable('shop.joined')",
        "spark.sql('CREATE TABLE shop.again AS SELECT name, amount FROM shop.orders JOIN shop.customers c ON customer = c.id')",
        "spark.table('shop.orders').union(spark.table('shop.orders')).write.saveAsTable('shop.twice')",
    )
    columns = notebook.list_columns()
    for table in ("shop.joined", "shop.again"):
        assert {each for each in columns if each[1] == f"{table}.name"} == {
            ("shop.customers.name", f"{table}.name", "identity"),
            ("shop.customers.id", f"{table}.name", "join"),
            ("shop.orders.customer", f"{table}.name", "join"),
        }
    assert ("shop.orders.amount", "shop.twice.amount", "identity") in columns
    assert not any(each.missing for each in get_observations(notebook))


def test_temporary_views_and_current_database_are_followed(notebook: CapturedNotebook) -> None:
    flows = run(
        notebook,
        "spark.table('shop.orders').createOrReplaceTempView('v')\nspark.sql('USE shop')",
        "spark.sql('CREATE OR REPLACE TEMP VIEW w AS SELECT id AS number FROM v')",
        "spark.sql('SELECT number FROM w').write.json('viewed')",
        "spark.table('customers').write.csv('named')\nspark.catalog.setCurrentDatabase('default')",
        "spark.sql('CREATE VIEW shop.names AS SELECT upper(name) AS who FROM shop.customers')",
    )
    assert flows == {
        ("c3", "shop.orders", "viewed"),
        ("c4", "shop.customers", "named"),
        ("c5", "shop.customers", "shop.names"),
    }
    assert ("shop.orders.id", "viewed.number", "identity") in notebook.list_columns()


def test_statement_with_dataframe_and_parameter_is_followed_into_pandas(notebook: CapturedNotebook) -> None:
    flows = run(
        notebook,
        "rows = spark.sql('SELECT id FROM {data} WHERE amount > :least', args={'least': 3}, data=spark.table('shop.orders'))",
        "rows.write.orc('rows')\nframe = rows.toPandas()",
        "frame.to_csv('frame.csv')",
    )
    assert ("c2", "shop.orders", "rows") in flows
    assert ("c2", "shop.orders", "$c2.frame") in flows
    assert ("c3", "$c2.frame", "frame.csv") in flows


def test_failed_write_has_inputs_and_intended_outputs_and_refused_query_has_none(notebook: CapturedNotebook) -> None:
    run(notebook, "spark.range(1).write.parquet('taken')")
    notebook.runs.clear()
    assert notebook.run("c1", "spark.table('shop.orders').write.parquet('taken')").error is not None
    assert notebook.run("c2", "spark.table('shop.nosuch').collect()").error is not None
    notebook.list_flows()
    (observation,) = get_observations(notebook)
    assert (observation.failed, observation.error, observation.writes) == (True, "PATH_ALREADY_EXISTS", ())
    assert [notebook.shorten(ref) for ref in observation.reads] == ["shop.orders"]
    assert [notebook.shorten(ref) for ref in observation.intended] == ["taken"]


def test_what_is_not_understood_is_reported(notebook: CapturedNotebook) -> None:
    run(
        notebook,
        "spark.sql('FROM shop.orders INSERT INTO shop.joined SELECT id, amount')",
        "spark.createDataFrame([(1,)], 'a int').write.parquet('made')",
        "spark.table('shop.orders').write.format('noop').mode('overwrite').save()",
    )
    assert [each.missing for each in get_observations(notebook)] == [
        (MissingDetail.STATEMENT,),
        (MissingDetail.MEMORY,),
        (MissingDetail.SINK,),
    ]


def test_dropped_and_created_tables_are_named(notebook: CapturedNotebook) -> None:
    run(
        notebook,
        "spark.range(1).createOrReplaceTempView('passing')\nspark.sql('DROP VIEW passing')",
        "spark.sql('CREATE TABLE shop.passing AS SELECT 1 AS n')\nspark.sql('DROP TABLE shop.passing')",
        "spark.sql('USE shop')\nspark.sql('CREATE TABLE Passing (n INT) USING parquet')\nspark.sql('USE default')",
        "spark.sql('CREATE DATABASE closing')\nspark.sql('DROP DATABASE closing CASCADE')",
    )
    named = [(each.dropped, each.created) for each in get_observations(notebook) if each.dropped or each.created]
    table, database = "urn:li:dataset:(urn:li:dataPlatform:spark,shop.passing,PROD)", "spark,closing."
    assert named == [((table,), ()), ((), (table,)), ((f"urn:li:dataset:(urn:li:dataPlatform:{database}",), ())]


def find_ended_stream(notebook: CapturedNotebook, name: str) -> Observation:
    """Wait until a stream is reported as ended."""

    def list_ended() -> list[Observation]:
        streams = [each for each in notebook.outside if each.stream is not None and each.stream.name == name]
        return [each for each in streams if each.stream.has_ended]

    return wait_for(list_ended, bool)[0]


def test_states_of_streams_are_reported(notebook: CapturedNotebook) -> None:
    Path("numbers").mkdir()
    Path("numbers/a.json").write_text('{"n": 1}\n{"n": 2}\n')
    flows = run(
        notebook,
        "rows = spark.readStream.schema('n long').json('numbers')\n"
        "into = rows.writeStream.format('json').queryName('counted').option('checkpointLocation', 'counting')\n"
        "assert into.trigger(availableNow=True).start('counted').awaitTermination(120)",
        "def fail(rows, batch):\n    raise ValueError('secret')\n"
        "failing = rows.writeStream.queryName('failing').foreachBatch(fail).option('checkpointLocation', 'failing').start()\n"
        "try:\n    failing.awaitTermination(120)\nexcept Exception:\n    pass",
    )
    assert {("c1", "numbers", "counted"), ("c2", "numbers", "")} <= flows
    ended = find_ended_stream(notebook, "counted")
    assert ended.stream is not None
    assert (ended.failed, ended.stream.batch, ended.stream.input_rows) == (False, 0, 2)
    failed = find_ended_stream(notebook, "failing")
    assert (failed.failed, "secret" in str(failed)) == (True, False)
    (begun,) = [each for each in get_observations(notebook) if each.stream and each.stream.name == "failing"]
    assert begun.missing == (MissingDetail.STREAM_FUNCTION,)


def test_stream_and_model_are_recorded(notebook: CapturedNotebook) -> None:
    Path("arriving").mkdir()
    Path("arriving/a.json").write_text('{"n": 1}\n')
    flows = run(
        notebook,
        "into = spark.readStream.schema('n long').json('arriving').writeStream.format('json').option('checkpointLocation', 'checkpoint')\n"
        "assert into.trigger(availableNow=True).start('streamed').awaitTermination(120)",
        "from pyspark.ml.feature import VectorAssembler\n"
        "from pyspark.ml.regression import LinearRegression, LinearRegressionModel\n"
        "rows = VectorAssembler(inputCols=['id'], outputCol='features').transform(spark.table('shop.orders'))\n"
        "LinearRegression(labelCol='amount').fit(rows).write().overwrite().save('trained')",
        "LinearRegressionModel.load('trained')",
    )
    assert {("c1", "arriving", "streamed"), ("c2", "", "model:trained"), ("c3", "model:trained", "")} <= flows
    assert ("arriving.n", "streamed.n", "identity") in notebook.list_columns()
    assert os.environ.get("SPARK_LOCAL_REMOTE")
