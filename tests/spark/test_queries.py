"""The corpus of `tests/conformance/spark`: the expected observation of each statement."""

import json
import os
from collections.abc import Iterable
from typing import Any

import pytest
from jupyter_colophon.capture.observation import DataRef, Observation
from jupyter_colophon.spark.plans.plan_nodes import PLAN_NODES
from jupyter_colophon.spark.plans.plan_reader import BOUNDED, get_reader
from jupyter_colophon.spark.plans.plan_tree import walk_tree
from pyspark.sql import SparkSession
from support.oracle import create_tables, list_warehouse_queries, read_corpus

IS_FULL = os.environ.get("COLOPHON_TEST_SIZE") == "full"


@pytest.fixture(scope="module")
def warehouse(spark: SparkSession) -> None:
    create_tables(spark, read_corpus("warehouse")["tables"])


@pytest.mark.parametrize("case", read_corpus("queries")["cases"], ids=lambda case: case["name"])
def test_statement_reads_and_writes_are_captured(case: dict[str, Any], watch: Any) -> None:
    holds(case, watch)


@pytest.mark.parametrize("case", list_warehouse_queries()[:: 1 if IS_FULL else 3], ids=lambda case: case["name"])
def test_warehouse_query_is_captured(case: dict[str, Any], watch: Any, warehouse: None) -> None:
    holds(case, watch)


def holds(case: dict[str, Any], watch: Any) -> None:
    """Check one case; the corpus has `columns` for every writing statement, possibly empty."""
    table = watch.create_table_name()
    plans: list[Any] = []

    def run(statement: str) -> None:
        frame = watch.spark.sql(statement.replace("{dir}", str(watch.folder)))
        plans.append(frame._jdf.queryExecution().analyzed())
        frame.collect()

    case = json.loads(json.dumps(case).replace("{t}", table))
    for statement in case.get("before", ()):
        run(statement)
    # What was dropped, or created without rows, is neither read nor written.
    seen = [each for each in watch.run_and_observe(lambda: run(case["sql"])) if not (each.dropped or each.created)]

    if case.get("silent") or not (case["reads"] or "columns" in case):
        assert seen == []
        return
    writing = [observation for observation in seen if observation.writes]
    # Reading CSV files takes several queries, since Spark infers the columns first.
    observation = one(writing) if "columns" in case else seen[-1]
    assert not observation.failed
    assert shorts(observation.reads, watch) == sorted(case["reads"])
    assert shorts(observation.writes, watch) == (case.get("writes", [table]) if "columns" in case else [])
    assert columns(observation, watch) == (expected(case, observation) if "columns" in case else {})
    assert observation.missing == ()
    assert undeclared(plans[-1], watch) == set()


def undeclared(plan: Any, watch: Any) -> set[str]:
    """Return the kinds of nodes in a plan that the table of plan nodes lacks."""
    root = get_reader(watch.spark._jsparkSession).read_complete_plan(plan, BOUNDED)
    assert root is not None
    return {node.kind for node in walk_tree(root) if node.is_plan and not node.kind.startswith("Resolved")} - set(
        PLAN_NODES
    )


def one(seen: list[Observation]) -> Observation:
    assert len(seen) == 1, seen
    return seen[0]


def shorts(refs: Iterable[DataRef], watch: Any) -> list[str]:
    return sorted(watch.shorten_urn(ref.urn) for ref in refs)


def columns(observation: Observation, watch: Any) -> dict[str, list[str]]:
    """Return the sources of each written column: `dataset.column` and a letter for the transformation."""
    found: dict[str, list[str]] = {}
    for edge in observation.columns:
        source = f"{watch.shorten_urn(edge.source_urn)}.{edge.source_field} {edge.transformation[0]}"
        found.setdefault(edge.target_field, []).append(source)
    return {made: sorted(sources) for made, sources in found.items()}


STRENGTH = "cwsgfjita"


def expected(case: dict[str, Any], observation: Observation) -> dict[str, list[str]]:
    """Return the columns of the corpus, with the control dependencies of the statement added unless a stronger edge exists."""
    found: dict[str, list[str]] = {}
    for field in observation.writes[0].fields or ():
        strongest: dict[str, str] = {}
        for source in (*case["columns"].get(field.path, ()), *case.get("controls", ())):
            name, _, how = source.rpartition(" ")
            strongest[name] = max(how, strongest.get(name, how), key=STRENGTH.index)
        if strongest:
            found[field.path] = sorted(f"{name} {how}" for name, how in strongest.items())
    return found
