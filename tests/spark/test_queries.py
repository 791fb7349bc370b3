"""The corpus of `tests/conformance/spark`: what must be seen of each statement."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.spark.observation import DataRef, Observation

CORPUS = json.loads((Path(__file__).parents[1] / "conformance/spark/queries.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CORPUS["cases"], ids=lambda case: case["name"])
def test_what_a_statement_reads_and_writes_is_seen(case: dict[str, Any], watch: Any) -> None:
    """The corpus says `columns` of a statement that writes, be they none."""
    table = watch.fresh_table()

    def run(statement: str) -> None:
        watch.spark.sql(statement.replace("{dir}", str(watch.folder))).collect()

    case = json.loads(json.dumps(case).replace("{t}", table))
    for statement in case.get("before", ()):
        run(statement)
    seen = watch.observe(lambda: run(case["sql"]))

    if case.get("silent") or not (case["reads"] or "columns" in case):
        assert seen == []
        return
    writing = [observation for observation in seen if observation.writes]
    # Reading CSV files takes several queries, since Spark looks for the columns first.
    observation = one(writing) if "columns" in case else seen[-1]
    assert not observation.failed
    assert shorts(observation.reads, watch) == sorted(case["reads"])
    assert shorts(observation.writes, watch) == (case.get("writes", [table]) if "columns" in case else [])
    assert columns(observation, watch) == {made: sorted(sources) for made, sources in case.get("columns", {}).items()}


def test_the_corpus_is_as_large_as_decided() -> None:
    assert len(CORPUS["cases"]) >= 60


def one(seen: list[Observation]) -> Observation:
    assert len(seen) == 1, seen
    return seen[0]


def shorts(refs: Iterable[DataRef], watch: Any) -> list[str]:
    return sorted(watch.short(ref.urn) for ref in refs)


def columns(observation: Observation, watch: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for edge in observation.columns:
        source = f"{watch.short(edge.source_urn)}.{edge.source_field} {edge.transformation[0]}"
        found.setdefault(edge.target_field, []).append(source)
    return {made: sorted(sources) for made, sources in found.items()}
