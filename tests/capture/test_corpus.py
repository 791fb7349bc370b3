"""The corpus of notebooks with the lineage that is expected of them (how to add one: README.md of the corpus)."""

import pytest
from capture.corpus.case import Score, list_cases, list_libraries, run_case, run_library


@pytest.mark.parametrize("library", list_libraries())
def test_cases_of_a_library(library):
    # One test for all cases: preparing a test costs more than running a case.
    outcomes = run_library(library).items()
    found = {name: (outcome.flows, outcome.columns) for name, outcome in outcomes}
    assert found == {
        name: (outcome.expected_flows - outcome.missed, outcome.expected_columns - outcome.missed)
        for name, outcome in outcomes
    }


def test_no_false_edge_and_few_unseen_ones():
    flows_of_all, columns_of_all = Score(), Score()
    for library in list_libraries():
        flows, columns = Score(), Score()
        for outcome in run_library(library).values():
            for scores, found, expected in (
                ((flows, flows_of_all), outcome.flows, outcome.expected_flows),
                ((columns, columns_of_all), outcome.columns, outcome.expected_columns),
            ):
                for score in scores:
                    score.add(found, expected)
        print_score(f"{library}, flows", flows)
        print_score(f"{library}, columns", columns)
        assert flows.wrong == columns.wrong == 0
    print_score("all, flows", flows_of_all)
    print_score("all, columns", columns_of_all)
    assert flows_of_all.recall >= 0.97
    assert columns_of_all.recall >= 0.9


def print_score(what: str, score: Score) -> None:
    count = score.right + score.unseen
    print(f"{what}: precision {score.precision:.3f}, recall {score.recall:.3f} of {count}")  # noqa: T201  what the corpus is for


def test_expectations_that_are_not_met_are_found():
    case = list_cases("pandas")[0]
    outcome = run_case(type(case)(case.name, case.cells, "write: nothing.csv -> out.csv"))
    assert outcome.flows != outcome.expected_flows
