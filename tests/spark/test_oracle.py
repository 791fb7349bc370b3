"""The differences between our listener and OpenLineage's Spark agent are explained, in data and in docs/spark-lineage.md as a table."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from support.oracle import cases, corpus

DOCS = Path(__file__).parents[2] / "docs/spark-lineage.md"
BEGIN, END = "<!-- differences: tests/spark/test_oracle.py makes this table -->", "<!-- end -->"
EXPLAINED = corpus("differences")


def test_the_docs_have_the_table_of_all_explained_differences() -> None:
    _, _, rest = DOCS.read_text(encoding="utf-8").partition(BEGIN)
    assert rest.partition(END)[0].strip() == table()


def test_every_explanation_is_of_a_statement_and_used() -> None:
    named = {case["name"] for case in cases()}
    assert len(named) >= 60
    assert {one["case"] for one in EXPLAINED["differences"]} <= named
    assert {one["why"] for one in EXPLAINED["differences"]} == set(EXPLAINED["reasons"])


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
