"""Capture of reads and writes through RDDs."""

from collections.abc import Callable
from typing import Any

import pytest
from jupyter_colophon.capture.observation import MissingDetail, Observation
from jupyter_colophon.spark.capture.attach import attach_listener
from py4j.protocol import Py4JJavaError
from pyspark.core.rdd import RDD


def touched(seen: list[Observation], watch: Any) -> list[tuple[str, list[str], list[str]]]:
    return [
        (
            each.function,
            sorted(watch.shorten_urn(ref.urn) for ref in each.reads),
            [watch.shorten_urn(ref.urn) for ref in each.writes],
        )
        for each in seen
    ]


@pytest.mark.parametrize(
    ("label", "action"),
    [
        ("toLocalIterator", lambda frame: list(frame.toLocalIterator())),
        ("foreach", lambda frame: frame.foreach(lambda row: None)),
        ("foreachPartition", lambda frame: frame.foreachPartition(lambda rows: None)),
        ("collect", lambda frame: frame.rdd.collect()),
        ("collect", lambda frame: frame.rdd.map(lambda row: (row.id, 1)).reduceByKey(max).count()),
        ("runJob", lambda frame: frame.rdd.filter(bool).take(1)),
    ],
)
def test_rdd_actions_on_dataframe_are_reads(watch: Any, label: str, action: Callable[[Any], Any]) -> None:
    frame = watch.spark.table("shop.orders").where("amount > 0")
    seen = watch.run_and_observe(lambda: action(frame))
    assert touched(seen, watch) == [(label, ["shop.orders"], [])]
    assert (seen[0].missing, seen[0].failed) == ((), False)


def test_rdd_save_reports_sources_and_target(watch: Any) -> None:
    frame, context = watch.spark.table("shop.orders"), watch.spark.sparkContext
    text, joined = f"{watch.folder}/rdd-text", f"{watch.folder}/rdd-joined"
    seen = watch.run_and_observe(lambda: frame.rdd.map(str).saveAsTextFile(text))
    assert touched(seen, watch) == [("saveAsTextFile", ["shop.orders"], ["/rdd-text"])]

    def again() -> None:
        with pytest.raises(Py4JJavaError):
            frame.rdd.map(str).saveAsTextFile(text)

    (failed,) = watch.run_and_observe(again)
    assert (failed.failed, failed.error, failed.writes) == (True, "FileAlreadyExistsException", ())
    lines = context.textFile(text).map(lambda line: (line, 1))
    rows = frame.rdd.map(lambda row: (row.day, 1))
    seen = watch.run_and_observe(lambda: lines.join(rows).saveAsPickleFile(joined))
    assert touched(seen, watch) == [("saveAsPickleFile", ["/rdd-text", "shop.orders"], ["/rdd-joined"])]


def test_unknown_rdd_sources_are_reported_as_missing(watch: Any) -> None:
    context = watch.spark.sparkContext
    (saved,) = watch.run_and_observe(lambda: context.parallelize([1]).saveAsTextFile(f"{watch.folder}/rdd-made"))
    assert ([watch.shorten_urn(ref.urn) for ref in saved.writes], saved.missing) == (
        ["/rdd-made"],
        (MissingDetail.MEMORY,),
    )
    assert watch.run_and_observe(lambda: context.parallelize([1]).sum()) == []
    assert watch.run_and_observe(watch.spark.table("shop.orders").rdd.getNumPartitions) == []
    (globbed,) = watch.run_and_observe(lambda: context.textFile(f"{watch.folder}/rdd-ma*").count())
    assert (globbed.reads, globbed.missing) == ((), (MissingDetail.SOURCE,))


def test_rdd_methods_are_wrapped_once_for_all_sessions(spark: Any, watch: Any) -> None:
    wrapped, seen = RDD.collect, list[Observation]()
    other = attach_listener(spark.newSession(), seen.append)
    assert RDD.collect is wrapped
    assert len(watch.run_and_observe(spark.table("shop.orders").rdd.collect)) == 1
    assert seen == []
    other.detach()
    assert RDD.collect is wrapped
