"""Differences between our listener and OpenLineage's Spark agent, explained in data and in docs/spark-lineage.md."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from support.oracle import list_cases, read_corpus

DOCS = Path(__file__).parents[2] / "docs/spark-lineage.md"
BEGIN, END = "<!-- differences: tests/spark/test_oracle.py makes this table -->", "<!-- end -->"
EXPLAINED = read_corpus("differences")


def test_docs_contain_table_of_explained_differences() -> None:
    _, _, rest = DOCS.read_text(encoding="utf-8").partition(BEGIN)
    assert rest.partition(END)[0].strip() == table()


def test_every_explanation_refers_to_a_case() -> None:
    named = {case["name"] for case in list_cases()}
    assert len(named) >= 60
    assert {one["case"] for one in EXPLAINED["differences"]} <= named
    assert {one["why"] for one in EXPLAINED["differences"]} == set(EXPLAINED["reasons"])


def table() -> str:
    """Return the table of the documentation: each difference, with the statements that have it."""
    places = defaultdict(list)
    for one in EXPLAINED["differences"]:
        places[one["why"]].append(one["case"])
    rows = [_row(text, places[why]) for why, text in EXPLAINED["reasons"].items()]
    count = len(read_corpus("queries")["cases"]) + len(read_corpus("warehouse")["cases"])
    summary = f"{count} statements, {len({one['case'] for one in EXPLAINED['differences']})} of them with a difference."
    return "\n".join([summary, "", "| difference | in | statements |", "|---|---|---|", *rows])


def _row(text: str, found: Iterable[str]) -> str:
    named = list(found)
    return f"| {text} | {len(named)} | {'; '.join(dict.fromkeys(named))} |"
