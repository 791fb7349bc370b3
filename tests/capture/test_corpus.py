"""The corpus of notebooks with the lineage that is expected of them (how to add one: README.md of the corpus)."""

import pytest
from capture.corpus.case import Score, list_cases, list_libraries, run_case, run_library

CASES = [(library, case) for library in list_libraries() for case in list_cases(library)]


@pytest.mark.parametrize(("library", "case"), CASES, ids=[f"{library}: {case.name}" for library, case in CASES])
def test_case(library, case):
    outcome = run_library(library)[case.name]
    assert outcome.flows == outcome.expected_flows - outcome.missed
    assert outcome.columns == outcome.expected_columns - outcome.missed


@pytest.mark.parametrize("library", list_libraries())
def test_no_false_edge_and_few_unseen_ones(library):
    flows, columns = Score(), Score()
    for outcome in run_library(library).values():
        flows.add(outcome.flows, outcome.expected_flows)
        columns.add(outcome.columns, outcome.expected_columns)
    for what, score in (("flows", flows), ("columns", columns)):
        print(  # noqa: T201  what the corpus is for
            f"{library}, {what}: precision {score.precision:.3f}, recall {score.recall:.3f} of {score.right + score.unseen}"
        )
    assert flows.wrong == columns.wrong == 0
    assert flows.recall >= 0.97
    assert columns.recall >= 0.9


def test_expectations_that_are_not_met_are_found():
    case = list_cases("pandas")[0]
    outcome = run_case(type(case)(case.name, case.cells, "write: nothing.csv -> out.csv"))
    assert outcome.flows != outcome.expected_flows
