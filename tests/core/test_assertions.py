"""The URNs of assertions, and what their events mean."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.identity.assertion_urn import make_assertion_urn, parse_assertion_urn
from jupyter_colophon.core.identity.names import IdentityRules, Urn, make_dataset_urn, make_field_urn
from jupyter_colophon.core.quality.assertion_results import read_assertion_result

DATASET = make_dataset_urn("spark", "sales.orders")
ids = st.from_regex(r"[A-Za-z0-9_.:-]{1,128}", fullmatch=True)


@given(st.text(alphabet="aZ9é漢 ,()%/.", min_size=1, max_size=24), ids)
def test_the_urn_of_an_expectation_names_its_dataset(name: str, expectation_id: str) -> None:
    dataset = make_dataset_urn("file", name)
    assertion = make_assertion_urn(dataset, expectation_id)
    assert parse_assertion_urn(Urn.parse(str(assertion))) == (dataset, expectation_id)


@pytest.mark.parametrize(
    "name", ["9f2c", "colophon-", "colophon-!!", "colophon-YQ", "colophon-_w", "colophon-YSB1cm46bGk6dGFnOmE"]
)
def test_other_assertions_are_those_of_clients(name: str) -> None:
    assert parse_assertion_urn(Urn("assertion", (name,), compound=False)) is None


def test_an_assertion_is_in_the_namespace_of_its_dataset() -> None:
    assert IdentityRules().get_namespace(make_assertion_urn(DATASET, "a")) == "sales"


@pytest.mark.parametrize(
    ("info", "named"),
    [
        (None, {"name": "assertion"}),
        (
            {"type": "CUSTOM", "customAssertion": {"type": "Soda", "field": str(make_field_urn(DATASET, "a"))}},
            {"name": "Soda", "column": "a"},
        ),
        (
            {"type": "FIELD", "fieldAssertion": {"fieldValuesAssertion": {"field": {"path": "b"}}}},
            {"name": "FIELD", "column": "b"},
        ),
        ({"type": "DATASET", "datasetAssertion": {"fields": ["x", "y"]}, "description": "both"}, {"name": "both"}),
        ({"type": "DATASET", "datasetAssertion": {"fields": ["no urn"], "nativeType": "n"}}, {"name": "n"}),
    ],
)
def test_a_result_is_named_by_its_assertion(info: dict | None, named: dict) -> None:
    event = {"timestampMillis": 5, "asserteeUrn": str(DATASET), "result": {"type": "FAILURE", "severity": "LOW"}}
    found = read_assertion_result(event, info, None)
    assert found is not None
    about = {
        "kind": "other",
        "severity": "warning",
        "status": "failed",
        "time": 5,
        "source": {"kind": "import", "name": "datahub"},
    }
    assert found == (DATASET, {**about, **named})


@pytest.mark.parametrize(
    "event", [{}, {"result": {"type": "INIT"}}, {"asserteeUrn": "urn:li:chart:(a,b)"}, {"asserteeUrn": "x"}]
)
def test_an_event_without_a_result_of_a_dataset_is_none(event: dict) -> None:
    assert read_assertion_result({"timestampMillis": 5, "asserteeUrn": str(DATASET), **event}, None, None) is None
