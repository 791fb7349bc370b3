"""The keys of lineage answers (spec ID-18)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.cdap.lineage_keys import format_lineage_key, parse_lineage_key
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.identity.names import IdentityRules, Urn

text = st.text(alphabet="%,()=:./#\u241f*'\" -_aZ9\u00e9\u6f22", min_size=1, max_size=12)
tricky = text | text.map(lambda t: f"urn:li:{t}") | st.sampled_from(["urn:li:tag:a", "%41", "%2E", "-", "."])
space = st.from_regex(r"[A-Za-z0-9_]{1,8}", fullmatch=True).filter(lambda t: t != "system")
word = st.from_regex(r"[A-Za-z0-9_-]{1,8}", fullmatch=True)
datasets = (
    st.builds(names.make_dataset_urn, tricky, tricky)
    | st.builds(names.make_home_dataset_urn, space, text)
    | st.builds(names.make_stream_urn, space, word)
    | st.builds(names.make_dataset_urn, st.sampled_from(["spark", "stream"]), tricky)
)
flows = st.builds(names.make_data_flow_urn, st.just("colophon") | tricky, word | tricky, space | tricky)
spelt_urns = (
    datasets
    | st.builds(names.make_field_urn, datasets, tricky)
    | flows
    | st.builds(names.make_data_job_urn, flows, tricky | tricky.map(lambda t: f"flows.{t}"))
    | st.builds(names.make_program_urn, space, word, st.sampled_from(names.PROGRAM_TYPES), word)
    | st.builds(names.make_program_urn, space, word, st.sampled_from(sorted(names.ANY_ID_TYPES)), tricky)
    | st.builds(names.make_namespace_urn, space)
    | st.builds(lambda s, x: names.make_custom_urn("external", [("namespace", s), ("external", x)]), space, tricky)
)


IDENTITY = IdentityRules()
FLOW = names.make_data_flow_urn("spark", "etl.v1", "PROD")


@pytest.mark.parametrize(
    ("urn", "key", "plural"),
    [
        (names.make_home_dataset_urn("default", "purchases"), "dataset.default.purchases", None),
        (names.make_home_dataset_urn("default", "a.b"), "dataset.default.a.b", None),
        (names.make_stream_urn("default", "clicks"), "stream.default.clicks", None),
        (
            names.make_dataset_urn("file", "/a.csv"),
            "dataset.default.urn:li:dataset:(urn:li:dataPlatform:file,/a.csv,PROD)",
            None,
        ),
        (names.make_program_urn("n", "shop", "flows", "orders"), "flow.n.shop.orders", "flows.n.shop.orders"),
        (names.make_program_urn("n", "shop", "mapreduce", "m"), "mapreduce.n.shop.m", "mapreduce.n.shop.m"),
        (names.make_cell_program_urn("n", "a.ipynb", "c"), "cell.n.notebook.a.ipynb#c", "cells.n.notebook.a.ipynb#c"),
        (
            names.make_data_job_urn(FLOW, "a.b%"),
            "job.default.urn:li:dataFlow:(spark,etl%2Ev1,PROD).a.b%",
            "jobs.default.urn:li:dataFlow:(spark,etl%2Ev1,PROD).a.b%",
        ),
        (names.make_custom_urn("external", [("namespace", "n"), ("external", "a.b")]), "external.n.-.a.b", None),
        (names.make_data_flow_urn("colophon", "shop", "n"), "application.n.shop", None),
        (names.make_namespace_urn("n"), "urn:li:namespace:n", None),
    ],
)
def test_lineage_key_format(urn: Urn, key: str, plural: str | None) -> None:
    assert format_lineage_key(urn, IDENTITY) == key
    assert format_lineage_key(urn, IDENTITY, plural=True) == (plural or key)


@given(spelt_urns)
def test_lineage_key_parses_to_its_entity(urn: Urn) -> None:
    for plural in (False, True):
        assert parse_lineage_key(format_lineage_key(urn, IDENTITY, plural=plural), IDENTITY) == urn


def test_lineage_key_uses_stored_namespace() -> None:
    assert format_lineage_key(names.make_data_job_urn(FLOW, "x"), IDENTITY, "sales").startswith("job.sales.")


@pytest.mark.parametrize(
    "key", ["", "dataset", "dataset.n", "dataset.n.", "flow.n.a", "dance.n.a.b", "external.n.a.b", "urn:li:"]
)
def test_invalid_lineage_key_raises_invalid_name(key: str) -> None:
    with pytest.raises(InvalidName):
        parse_lineage_key(key, IDENTITY)
