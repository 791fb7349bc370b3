"""Spark reads the event files of a catalog stream as a stream, while others write."""

import threading
from pathlib import Path
from typing import Any

from jupyter_colophon.core.identity.names import make_stream_urn
from pyspark.sql import SparkSession
from support.catalog import ADA
from support.stream_catalog import open_catalog_with_clicks

#: The day is part of the path: a schema without it fails until there is an event.
SCHEMA = "timestamp LONG, source STRING, body STRUCT<page: STRING, n: LONG>, day DATE"
CLICKS = make_stream_urn("shop", "clicks")


def test_spark_reads_each_event_once_during_writes(spark: SparkSession, tmp_path: Path) -> None:
    catalog = open_catalog_with_clicks(tmp_path)
    folder = catalog.streams.get_event_folder_or_none(CLICKS, ADA)
    assert folder is not None

    def write(first: int, count: int, source: str) -> None:
        for number in range(first, first + count):
            event = {"page": "ä\n", "n": number}
            catalog.streams.append_events_and_record_run(CLICKS, lambda: [event], source, ADA)  # noqa: B023  called at once

    write(0, 1, "web")
    rows: list[Any] = []
    query = (
        spark.readStream.schema(SCHEMA)
        .json(str(folder))
        .writeStream.foreachBatch(lambda frame, _: rows.extend(frame.collect()))
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(processingTime="200 milliseconds")
        .start()
    )
    try:
        writers = [threading.Thread(target=write, args=(1 + 60 * at, 60, source)) for at, source in enumerate("ab")]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        catalog.close()
        query.processAllAvailable()
    finally:
        query.stop()
    assert sorted(row.body.n for row in rows) == list(range(121))
    assert {row.source for row in rows} == {"web", "a", "b"}
    assert {row.body.page for row in rows} == {"ä\n"}
    assert all(row.day is not None for row in rows)
    assert spark.read.json(str(folder)).count() == 121
