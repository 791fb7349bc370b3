"""Capture of streaming queries."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from jupyter_colophon.capture.observation import MissingDetail, Observation
from jupyter_colophon.spark.capture import streams
from jupyter_colophon.spark.capture.attach import attach_listener
from pyspark.errors import StreamingQueryException


def run_stream(watch: Any, start: Callable[[Any], Any]) -> list[Observation]:
    """Run a stream over a folder of numbers to its end, and return the observations."""
    name = watch.create_table_name().removeprefix("shop.")
    stream = watch.spark.readStream.schema("id long").parquet(f"{watch.folder}/numbers").selectExpr("id * 2 AS twice")
    writer = stream.where("twice > 1").writeStream.trigger(availableNow=True)
    writer = writer.option("checkpointLocation", f"{watch.folder}/checkpoints/{name}")
    return list(watch.run_and_observe(lambda: start(writer).awaitTermination()))


def edges(observation: Observation) -> set[tuple[str, str, str]]:
    return {(edge.source_field, edge.target_field, str(edge.transformation)) for edge in observation.columns}


def test_stream_into_files_or_table_is_reported_with_columns(watch: Any) -> None:
    table = watch.create_table_name()
    for start, place in (
        (lambda writer: writer.format("parquet").start(f"{watch.folder}/streamed"), "/streamed"),
        (lambda writer: writer.toTable(table), table),
    ):
        (seen,) = [one for one in run_stream(watch, start) if one.writes]
        assert (
            [watch.shorten_urn(ref.urn) for ref in seen.reads],
            [watch.shorten_urn(ref.urn) for ref in seen.writes],
        ) == (
            ["/numbers"],
            [place],
        )
        assert seen.function == "stream"
        assert edges(seen) == {("id", "twice", "transformation")}


def test_foreach_batch_write_reads_stream_source(watch: Any) -> None:
    table = watch.create_table_name()

    def put(batch: Any, number: int) -> None:
        batch.selectExpr("twice + 1 AS more").write.mode("append").saveAsTable(table)

    seen_all = run_stream(watch, lambda writer: writer.foreachBatch(put).start())
    (seen,) = [each for each in seen_all if each.stream is None]
    assert [watch.shorten_urn(ref.urn) for ref in seen.writes] == [table]
    assert [watch.shorten_urn(ref.urn) for ref in seen.reads] == ["/numbers"]
    assert edges(seen) == {("id", "more", "transformation")}
    assert seen.missing == ()


def test_states_of_stream_are_reported(watch: Any) -> None:
    observations = run_stream(
        watch, lambda writer: writer.queryName("doubled").format("parquet").start(f"{watch.folder}/doubled")
    )
    states = [each.stream for each in observations if each.stream is not None]
    assert len({state.run_id for state in states}) == 1
    assert [(state.name, state.batch, state.input_rows, state.has_ended) for state in states] == [
        ("doubled", None, 0, False),
        ("doubled", 0, 5, False),
        ("doubled", 0, 5, True),
    ]
    assert [bool(each.writes) for each in observations] == [False, True, False]
    assert not any(each.failed for each in observations)


def test_failed_stream_is_reported(watch: Any) -> None:
    class SecretError(ValueError):
        pass

    def put(batch: Any, number: int) -> None:
        raise SecretError("secret value")

    def run() -> None:
        stream = watch.spark.readStream.schema("id long").parquet(f"{watch.folder}/numbers").writeStream
        stream = stream.option("checkpointLocation", f"{watch.folder}/checkpoints/failing")
        query = stream.foreachBatch(put).trigger(availableNow=True).start()
        with pytest.raises(StreamingQueryException):
            query.awaitTermination()  # Only to know when the query has ended.

    began = time.time_ns() // 1_000_000
    started, seen = watch.run_and_observe(run)
    assert started.stream == replace(seen.stream, has_ended=False)
    assert (seen.function, seen.failed) == ("stream", True)
    assert seen.error == "FOREACH_BATCH_USER_FUNCTION_ERROR (SecretError)"
    assert "secret value" not in repr(seen)
    assert began <= seen.started_ms <= seen.finished_ms
    assert (seen.reads, seen.writes, seen.columns) == ((), (), ())


def test_stream_into_unnamed_sink_is_reported_as_missing(watch: Any) -> None:
    seen = run_stream(watch, lambda writer: writer.format("memory").queryName("remembered").start())
    (observation,) = [one for one in seen if one.stream is not None and one.reads]
    assert observation.writes == ()
    assert [watch.shorten_urn(ref.urn) for ref in observation.reads] == ["/numbers"]
    assert observation.missing == (MissingDetail.SINK,)


def test_running_stream_is_reported_beyond_memory_limit(watch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_REMEMBERED", 0)
    seen = run_stream(watch, lambda writer: writer.format("parquet").start(f"{watch.folder}/one-of-many"))
    assert [watch.shorten_urn(ref.urn) for one in seen for ref in one.writes] == ["/one-of-many"]


def test_unrecorded_stream_is_reported_as_missing(watch: Any) -> None:
    seen: list[Observation] = []

    def sink(observation: Observation) -> None:
        if observation.writes:
            raise ValueError("secret value")
        seen.append(observation)

    capture = attach_listener(watch.spark, sink)
    try:
        run_stream(watch, lambda writer: writer.format("parquet").start(f"{watch.folder}/unrecorded"))
    finally:
        capture.detach()
    missing = [(one.function, one.missing) for one in seen if one.missing]
    assert missing == [("stream", (MissingDetail.EXECUTION,))]
    assert capture.errors == 1
