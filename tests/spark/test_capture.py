"""Capture: start times, failures, cost, and isolation from the captured queries."""

import logging
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from jupyter_colophon.capture.observation import MissingDetail, Observation, describe_unknown_node
from jupyter_colophon.spark.capture import execution_times
from jupyter_colophon.spark.capture.attach import ListenerRegistration, attach_listener
from jupyter_colophon.spark.capture.listener import PlanListener
from jupyter_colophon.spark.plans.write_commands import INNER_WRITES
from py4j.clientserver import ClientServerConnection
from pyspark.errors import PySparkException
from pyspark.sql.classic.dataframe import DataFrame


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def test_start_times_of_consecutive_writes_do_not_overlap(watch: Any) -> None:
    frame = watch.spark.table("shop.orders")
    times: list[tuple[int, int]] = []

    def write_all() -> None:
        for number in range(40):
            began = now_ms()
            frame.write.mode("overwrite").parquet(f"{watch.folder}/forty/{number}")
            times.append((began, now_ms()))

    seen = watch.run_and_observe(write_all)
    assert len(seen) == 40
    for number, observation in enumerate(seen):
        began, ended = times[number]
        assert watch.shorten_urn(observation.writes[0].urn) == f"/forty/{number}"
        assert began <= observation.started_ms <= ended
        assert observation.finished_ms >= observation.started_ms


def test_repeated_action_on_planned_dataframe_has_own_start_time(watch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a DataFrame that was planned earlier, without pauses: the listener receives neither start nor end time."""
    # On a busy machine, Spark's store may lag far behind.
    monkeypatch.setattr(execution_times, "WAITS", 6_000)
    frame = watch.spark.sql("SELECT * FROM shop.orders WHERE amount > 0")
    frame.explain()
    times: list[tuple[int, int]] = []

    def act() -> None:
        for pause in (0.0, 0.02, 0.3, 0.0, 0.02, 0.1, 0.0, 0.0):
            began = now_ms()
            frame.collect()
            times.append((began, now_ms()))
            time.sleep(pause)

    seen = watch.run_and_observe(act)
    assert len(seen) == 8
    for (began, ended), observation in zip(times, seen, strict=True):
        assert began <= observation.started_ms <= ended


def test_failed_statement_reports_inputs_and_intended_outputs(watch: Any) -> None:
    path, table = f"{watch.folder}/taken", watch.create_table_name()
    orders = watch.spark.table("shop.orders")
    orders.write.parquet(path)
    orders.write.saveAsTable(table)
    raising = orders.selectExpr("raise_error(day) AS x")
    failing: list[tuple[str, list[str], Callable[[], object]]] = [
        ("PATH_ALREADY_EXISTS", ["/taken"], lambda: orders.write.parquet(path)),
        ("TABLE_OR_VIEW_ALREADY_EXISTS", [table], lambda: orders.write.saveAsTable(table)),
        ("USER_RAISED_EXCEPTION", ["/taken-2"], lambda: raising.write.parquet(f"{path}-2")),
        ("USER_RAISED_EXCEPTION", [f"{table}_2"], lambda: raising.write.saveAsTable(f"{table}_2")),
        ("USER_RAISED_EXCEPTION", [], lambda: raising.collect()),
    ]
    for error, intended, action in failing:
        began = now_ms()

        def attempt(action: Callable[[], object] = action) -> None:
            with pytest.raises(PySparkException):
                action()

        seen = watch.run_and_observe(attempt)
        assert [(each.failed, each.error) for each in seen] == [(True, error)]
        assert (seen[0].writes, seen[0].columns) == ((), ())
        assert [watch.shorten_urn(ref.urn) for ref in seen[0].reads] == ["shop.orders"]
        assert [watch.shorten_urn(ref.urn) for ref in seen[0].intended] == intended
        assert began <= seen[0].started_ms <= now_ms()


def test_analysis_errors_are_not_reported(watch: Any, caplog: pytest.LogCaptureFixture) -> None:
    before = watch.capture.errors
    for refused in (
        lambda: watch.spark.read.csv("/nosuch.csv"),
        lambda: watch.spark.sql("INSERT INTO shop.nosuch SELECT 1"),
        lambda: watch.spark.table("shop.orders").select("nosuch"),
    ):

        def attempt(refused: Callable[[], object] = refused) -> None:
            with pytest.raises(PySparkException):
                refused()

        assert watch.run_and_observe(attempt) == []
    assert (watch.capture.errors, "could not be recorded" in caplog.text) == (before, False)


@pytest.mark.parametrize(
    ("statement", "label"),
    [
        ("DELETE FROM shop.orders WHERE id = 1", "delete"),
        ("UPDATE shop.orders SET day = 'x'", "update"),
        ("MERGE INTO shop.orders o USING shop.items i ON o.id = i.order_id WHEN MATCHED THEN DELETE", "merge"),
    ],
)
def test_in_place_row_changes_are_reported(watch: Any, statement: str, label: str) -> None:
    """Spark's own tables do not support such statements, so that each fails here; Delta and Iceberg tables do."""

    def attempt() -> None:
        with pytest.raises(PySparkException):
            watch.spark.sql(statement)

    (seen,) = watch.run_and_observe(attempt)
    assert (seen.function, seen.failed, seen.error) == (label, True, "UNSUPPORTED_FEATURE.TABLE_OPERATION")


def test_jvm_calls_do_not_depend_on_column_count(watch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    send = ClientServerConnection.send_command

    def counted(connection: ClientServerConnection, command: str) -> str:
        if command.startswith("c\n"):
            calls.append(command)
        return send(connection, command)

    def cost(width: int) -> int:
        columns = [f"id + {number} AS c{number}" for number in range(width)]
        watch.spark.table("shop.orders").selectExpr(*columns).write.parquet(f"{watch.folder}/wide/{width}")
        frame = watch.spark.read.parquet(f"{watch.folder}/wide/{width}")
        assert watch.capture.wait_for_observations(300_000)
        calls.clear()
        (observation,) = watch.run_and_observe(lambda: frame.write.parquet(f"{watch.folder}/wider/{width}"))
        assert len(observation.columns) == width
        return len(calls)

    monkeypatch.setattr(ClientServerConnection, "send_command", counted)
    assert cost(500) == cost(5) < 100


def test_deep_plan_is_traced_to_its_source(watch: Any) -> None:
    frame = watch.spark.table("shop.orders").select("id")
    for _ in range(150):
        frame = frame.selectExpr("id + 1 AS id")
    (observation,) = watch.run_and_observe(lambda: frame.write.parquet(f"{watch.folder}/deep"))
    assert [(edge.source_field, edge.transformation) for edge in observation.columns] == [("id", "transformation")]


def test_oversized_plan_is_reported_by_tables_only(watch: Any) -> None:
    orders, table = watch.spark.table("shop.orders"), watch.create_table_name()
    wide = orders.selectExpr(*(f"id + {number} AS c{number}" for number in range(501)))
    long = orders.select("id")
    for _ in range(10):  # Few nodes and few columns in each, but many columns in total.
        wider = orders.selectExpr(*(f"id + {number} AS c{number}" for number in range(400)))
        long = long.join(wider.selectExpr(*wider.columns).selectExpr(*wider.columns).selectExpr("c0 AS id"), "id")
    ways: list[tuple[Any, str]] = [
        (lambda: wide.write.parquet(f"{watch.folder}/too-wide"), "/too-wide"),
        (lambda: wide.write.saveAsTable(table), table),
        (lambda: long.write.parquet(f"{watch.folder}/too-much"), "/too-much"),
        (lambda: wide.createOrReplaceTempView("too_wide"), ""),
        (lambda: watch.spark.sql(f"CREATE VIEW {table}_v AS SELECT {', '.join(f'id AS c{n}' for n in range(501))} FROM shop.orders"), f"{table}_v"),
    ]  # fmt: skip
    for way, place in ways:
        seen = [one for one in watch.run_and_observe(way) if one.writes]
        assert [watch.shorten_urn(ref.urn) for one in seen for ref in one.writes] == ([place] if place else [])
        for one in seen:
            assert [watch.shorten_urn(ref.urn) for ref in one.reads] == ["shop.orders"]
            assert one.columns == ()
            assert one.missing == (MissingDetail.COLUMNS,)
            assert one.writes[0].fields


def test_in_memory_rows_and_unnamed_sinks_are_reported_as_missing(watch: Any) -> None:
    orders = watch.spark.table("shop.orders")
    again = watch.spark.createDataFrame(orders.toPandas())
    (copied,) = watch.run_and_observe(lambda: again.write.saveAsTable(watch.create_table_name()))
    assert (copied.reads, copied.missing) == ((), (MissingDetail.MEMORY,))
    (kept,) = [
        one
        for one in watch.run_and_observe(lambda: orders.write.format("noop").mode("overwrite").save())
        if one.missing
    ]
    assert ([watch.shorten_urn(ref.urn) for ref in kept.reads], kept.writes) == (["shop.orders"], ())
    assert kept.missing == (MissingDetail.SINK,)
    stream = watch.spark.readStream.schema("id long").parquet(f"{watch.folder}/numbers").writeStream
    stream.format("memory").queryName("held").trigger(availableNow=True).start().awaitTermination()
    (taken,) = watch.run_and_observe(lambda: watch.spark.table("held").write.saveAsTable(watch.create_table_name()))
    assert (taken.reads, taken.missing) == ((), (MissingDetail.MEMORY,))


STRANGE = """
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;

public class StrangeRelation extends LocalRelation {
    public StrangeRelation(scala.collection.immutable.Seq output, scala.collection.immutable.Seq data, boolean isStreaming, scala.Option stream) {
        super(output, data, isStreaming, stream);
    }
}
"""


def test_unknown_leaf_node_is_reported_as_missing(watch: Any) -> None:
    jvm, session = watch.spark._jvm, watch.spark._jsparkSession
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(session.getClass().getClassLoader())
    compiler.cook(STRANGE)
    query = watch.spark.sql("SELECT * FROM VALUES (1), (2) AS t(n)")
    rows = query._jdf.queryExecution().analyzed().collectLeaves().head()
    made = compiler.getClassLoader().loadClass("StrangeRelation").getConstructors()[0]
    arguments = watch.spark.sparkContext._gateway.new_array(jvm.java.lang.Object, 4)
    for at in range(4):
        arguments[at] = rows.productElement(at)
    strange = DataFrame(
        jvm.org.apache.spark.sql.classic.Dataset.ofRows(session, made.newInstance(arguments)), watch.spark
    )
    wide = strange.selectExpr(*(f"n AS c{number}" for number in range(501)))
    for frame, more in ((strange, ()), (wide, (MissingDetail.COLUMNS,))):
        (seen,) = watch.run_and_observe(
            lambda frame=frame: frame.write.parquet(f"{watch.folder}/{watch.create_table_name()}")
        )
        assert (seen.reads, seen.missing) == ((), (*more, describe_unknown_node("StrangeRelation")))
    (seen,) = watch.run_and_observe(strange.collect)
    assert seen.missing == (describe_unknown_node("StrangeRelation"),)


def test_generated_rows_are_not_reported_as_missing(watch: Any) -> None:
    watch.spark.sql("CACHE TABLE held_orders AS SELECT * FROM shop.orders")
    for query in (
        "SELECT 1 AS n",
        "SELECT * FROM VALUES (1), (2) AS t(n)",
        "SELECT * FROM VALUES (current_date()) AS t(n)",
        "SELECT * FROM range(3)",
        "SELECT explode(array(1, 2)) AS n",
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r",
        "WITH a AS (SELECT 1 AS n) SELECT x.n FROM a x JOIN a y ON x.n = y.n",
        "SELECT id AS n FROM held_orders",
        "SHOW TABLES IN shop",
        "DESCRIBE shop.orders",
    ):
        seen = watch.run_and_observe(lambda query=query: watch.spark.sql(query).collect())
        assert [words for one in seen for words in one.missing] == [], query


def test_wide_row_function_is_reported_without_columns(watch: Any) -> None:
    wide = watch.spark.table("shop.orders").selectExpr(*(f"id AS c{number}" for number in range(150)))
    mapped = wide.mapInArrow(lambda batches: batches, wide.schema)
    (observation,) = watch.run_and_observe(lambda: mapped.write.parquet(f"{watch.folder}/mapped"))
    assert len(observation.reads) == 1
    assert observation.columns == ()
    assert observation.missing == (MissingDetail.COLUMNS,)


def test_sink_errors_are_counted_and_logged_once(watch: Any, caplog: pytest.LogCaptureFixture) -> None:
    def sink(observation: Observation) -> None:
        raise ValueError("secret value")

    capture = attach_listener(watch.spark, sink)
    try:
        with caplog.at_level(logging.WARNING, logger="jupyter_colophon.spark"):
            for _ in range(3):
                assert watch.spark.table("shop.orders").count() == 2
            assert capture.wait_for_observations(300_000)
    finally:
        capture.detach()
    assert capture.errors == 3
    assert [record.name for record in caplog.records] == ["jupyter_colophon.spark"]
    assert "ValueError" in caplog.text
    assert "secret" not in caplog.text


def test_nothing_is_captured_after_detach(watch: Any) -> None:
    seen: list[Observation] = []
    capture = attach_listener(watch.spark, seen.append)
    watch.run_and_observe(lambda: watch.spark.table("shop.orders").count())
    assert len(seen) == 1
    capture.detach()
    capture.detach()
    watch.run_and_observe(lambda: watch.spark.table("shop.orders").count())
    assert len(seen) == 1


def test_drain_returns_false_after_timeout(watch: Any) -> None:
    go_on = threading.Event()
    capture = attach_listener(watch.spark, lambda _: go_on.wait(300))
    watch.spark.table("shop.orders").count()
    assert not capture.wait_for_observations(50)
    go_on.set()
    assert capture.wait_for_observations(300_000)
    capture.detach()


QUEUE = 10_000
"""Default size of Spark's listener queue, in events."""


def test_events_dropped_by_spark_are_reported_as_missing(watch: Any) -> None:
    """Block the listener while the queue overflows: Spark does not report which events it dropped."""
    seen: list[Observation] = []
    held, go_on = threading.Event(), threading.Event()

    def slow(observation: Observation) -> None:
        seen.append(observation)
        held.set()
        go_on.wait()

    orders, bus = watch.spark.table("shop.orders"), watch.spark.sparkContext._jsc.sc().listenerBus()
    event = watch.spark._jvm.org.apache.spark.scheduler.SparkListenerLogStart("any")
    capture = attach_listener(watch.spark, slow)
    try:
        orders.count()
        held.wait()
        for _ in range(QUEUE + 1):
            bus.post(event)
        orders.write.parquet(f"{watch.folder}/dropped")
        go_on.set()
        assert capture.wait_for_observations(300_000)
        assert capture.wait_for_observations(300_000)
    finally:
        go_on.set()
        capture.detach()
    assert [(one.missing, one.writes) for one in seen[1:]] == [((MissingDetail.EVENTS,), ())]


def test_call_lost_with_connection_is_reported_as_missing(watch: Any) -> None:
    """Cut the callback connection: Spark logs that the call failed, and continues."""
    connections: list[Any] = []
    orders, client = watch.spark.table("shop.orders"), watch.spark.sparkContext._gateway._gateway_client
    beside = attach_listener(watch.spark, lambda _: connections.append(client.get_thread_connection()))
    watch.run_and_observe(orders.count)
    beside.detach()
    connections[0].socket.shutdown(socket.SHUT_RDWR)
    while connections[0].socket is not None:  # The thread of the connection closes it.
        time.sleep(0.01)
    watch.seen.clear()
    orders.write.parquet(f"{watch.folder}/cut")
    assert watch.capture.wait_for_observations(300_000)
    assert [(one.writes, one.missing) for one in watch.seen] == [((), (MissingDetail.EVENTS,))]
    after = watch.run_and_observe(lambda: orders.write.parquet(f"{watch.folder}/not-cut"))
    assert [watch.shorten_urn(ref.urn) for one in after for ref in one.writes] == ["/not-cut"]
    assert [one.missing for one in watch.run_and_observe(orders.count)] == [()]


class FileWriteIgnoringListener(PlanListener):
    """Ignores the executions that write the files of a table, which end before the execution of the table."""

    def onSuccess(self, function: str, execution: Any, duration_ns: int) -> None:
        if function not in INNER_WRITES:
            super().onSuccess(function, execution, duration_ns)


def test_table_write_is_reported_without_its_file_write(watch: Any) -> None:
    seen: list[Observation] = []
    session, table = watch.spark._jsparkSession, watch.create_table_name()
    listener = FileWriteIgnoringListener(session, seen.append, lambda: None)
    registration = ListenerRegistration(watch.spark.sparkContext._gateway, session.listenerManager(), listener)
    try:
        watch.spark.table("shop.orders").write.mode("overwrite").saveAsTable(table)
        watch.spark.sql(f"CREATE TABLE IF NOT EXISTS {table} USING parquet AS SELECT * FROM shop.orders")
        assert watch.capture.wait_for_observations(300_000)
    finally:
        registration.remove()
    assert [[watch.shorten_urn(ref.urn) for ref in one.writes] for one in seen] == [[table]]


def test_dropped_tables_and_databases_are_named(watch: Any) -> None:
    spark, table = watch.spark, watch.create_table_name()
    spark.range(1).createOrReplaceTempView("passing")
    spark.sql(f"CREATE TABLE {table} AS SELECT 1 AS n")
    spark.sql(f"CREATE VIEW {table}_view AS SELECT * FROM {table}")
    spark.sql("CREATE DATABASE Closing")
    dropped = {}
    for statement in (f"VIEW {table}_view", f"TABLE {table}", "VIEW passing", "DATABASE Closing CASCADE"):
        seen = watch.run_and_observe(lambda statement=statement: spark.sql(f"DROP {statement}").collect())
        dropped[statement.split()[0], len(dropped)] = [
            name.rpartition(":")[2] for each in seen for name in each.dropped
        ]
    assert list(dropped.values()) == [
        [f"spark,{table}_view,PROD)"],
        [f"spark,{table},PROD)"],
        [],
        ["spark,closing."],
    ]


@pytest.mark.parametrize("rest", ["(n INT) USING parquet", "LIKE shop.orders"])
def test_table_without_rows_is_created(watch: Any, rest: str) -> None:
    table = watch.create_table_name()
    seen = watch.run_and_observe(lambda: watch.spark.sql(f"CREATE TABLE {table} {rest}").collect())
    assert [watch.shorten_urn(name) for each in seen for name in each.created] == [table]
    assert not any(each.reads or each.writes for each in seen)


def test_renamed_table_flows_into_new_name(watch: Any) -> None:
    old, new = watch.create_table_name(), watch.create_table_name()
    watch.spark.table("shop.orders").select("id", "day").write.saveAsTable(old)
    (seen,) = watch.run_and_observe(lambda: watch.spark.sql(f"ALTER TABLE {old} RENAME TO {new}"))
    assert [watch.shorten_urn(ref.urn) for ref in (*seen.reads, *seen.writes)] == [old, new]
    assert seen.renamed == (seen.reads[0].urn, seen.writes[0].urn)
    assert [(edge.source_field, edge.target_field) for edge in seen.columns] == [("id", "id"), ("day", "day")]
    assert [field.path for field in seen.writes[0].fields or ()] == ["id", "day"]
    assert seen.writes[0].format == "parquet"
    assert str(seen.writes[0].location).rpartition("/")[2] == new.rpartition(".")[2]
    watch.spark.range(1).createOrReplaceTempView("passing_name")
    assert watch.run_and_observe(lambda: watch.spark.sql("ALTER VIEW passing_name RENAME TO other_name")) == []
