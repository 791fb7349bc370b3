"""Whole notebooks, with the lineage that a person drew of them (README.md there)."""

import functools

import matplotlib as mpl
import pytest
from capture.corpus.case import Score
from capture.notebooks.case import NAMES, read_expected, run_notebook

run_once = functools.cache(run_notebook)


@pytest.fixture(autouse=True)
def _draw_without_a_display() -> None:
    mpl.use("Agg")


@pytest.mark.parametrize("name", NAMES)
def test_notebook_has_the_lineage_that_was_drawn(name: str) -> None:
    seen, expected = run_once(name), read_expected(name)
    assert seen.flows == expected.flows - expected.missed
    assert seen.columns == expected.columns - expected.missed


def test_precision_and_recall_over_all_notebooks() -> None:
    flows, columns = Score(), Score()
    for name in NAMES:
        seen, expected = run_once(name), read_expected(name)
        flows.add(seen.flows, expected.flows)
        columns.add(seen.columns, expected.columns)
    for what, score in (("flows", flows), ("columns", columns)):
        print(  # noqa: T201  what the notebooks are for
            f"{what}: precision {score.precision:.3f}, recall {score.recall:.3f} of {score.right + score.unseen}"
        )
    assert flows.wrong == columns.wrong == 0
    assert flows.recall >= 0.95
    assert columns.recall >= 0.9
