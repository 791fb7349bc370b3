"""Our listener beside OpenLineage's Spark agent: every difference is explained, here in data and in docs/spark-lineage.md as a table."""

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.oracle import CORPORA, cases, corpus

DOCS = Path(__file__).parents[2] / "docs" / "spark-lineage.md"
BEGIN, END = "<!-- differences: tests/spark/test_oracle.py holds this table against what it finds -->", "<!-- end -->"
EXPLAINED: dict[str, Any] = json.loads((CORPORA / "differences.json").read_text(encoding="utf-8"))

Row = Mapping[str, Any]


def test_the_docs_have_the_table_of_all_explained_differences() -> None:
    _, _, rest = DOCS.read_text(encoding="utf-8").partition(BEGIN)
    assert rest.partition(END)[0].strip() == table()


def test_every_explanation_is_of_a_statement_and_used() -> None:
    named = {case["name"] for case in cases()}
    assert len(named) >= 60
    assert {one["case"] for one in EXPLAINED["differences"]} <= named
    assert {one["why"] for one in EXPLAINED["differences"]} == set(EXPLAINED["reasons"])


@pytest.mark.skipif(os.environ.get("COLOPHON_TEST_SIZE") != "full", reason="minutes long: make long-oracle")
def test_each_difference_from_the_agent_is_explained_and_each_explanation_still_needed(tmp_path: Path) -> None:
    out = tmp_path / "both.jsonl"
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    subprocess.run(
        [sys.executable, "-m", "support.oracle", str(out)],
        env=os.environ | {"PYTHONPATH": paths, "JUPYTER_DATA_DIR": str(tmp_path)},
        check=True,
        timeout=3_000,
    )
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["case"] for row in rows] == [case["name"] for case in cases()]
    found = {(row["case"], what) for row in rows for what in differences(row)}
    explained = {(one["case"], one["what"]) for one in EXPLAINED["differences"]}
    assert sorted(found - explained) == [], "not explained"
    assert sorted(explained - found) == [], "explained, but there no more"


def differences(row: Row) -> Iterator[str]:
    """What the two saw differently of a statement, a line each."""
    ours, agent = row["ours"], row["agent"]
    for what in ("reads", "writes"):
        yield from (f"{what} {name}: ours alone" for name in sorted({*ours[what]} - {*agent[what]}))
        yield from (f"{what} {name}: the agent's alone" for name in sorted({*agent[what]} - {*ours[what]}))
    targets = defaultdict(list)
    for pair in sorted({*ours["columns"], *agent["columns"]}):
        ways = (ours["columns"].get(pair, "nothing"), agent["columns"].get(pair, "nothing"))
        source, _, target = pair.partition(" -> ")
        if ways[0] != ways[1]:
            targets[(source, *ways)].append(target)
    for (source, one, other), made in targets.items():
        yield f"{source} to {', '.join(made)}: ours {one}, the agent's {other}"


def table() -> str:
    """The table of the docs: why, in how many places, and where."""
    places = defaultdict(list)
    for one in EXPLAINED["differences"]:
        places[one["why"]].append(one["case"])
    rows = [_row(text, places[why]) for why, text in EXPLAINED["reasons"].items()]
    count = len(corpus("queries")["cases"]) + len(corpus("warehouse")["cases"])
    said = f"{count} statements, {len({one['case'] for one in EXPLAINED['differences']})} of them with a difference."
    return "\n".join([said, "", "| difference | in | statements |", "|---|---|---|", *rows])


def _row(text: str, found: Iterable[str]) -> str:
    named = list(found)
    return f"| {text} | {len(named)} | {'; '.join(dict.fromkeys(named))} |"
