"""The keys of lineage answers (spec ID-18)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.cdap.lineage_keys import from_lineage_key, lineage_key
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.identity.names import Identity, Urn

text = st.text(alphabet="%,()=:./#\u241f*'\" -_aZ9\u00e9\u6f22", min_size=1, max_size=12)
tricky = text | text.map(lambda t: f"urn:li:{t}") | st.sampled_from(["urn:li:tag:a", "%41", "%2E", "-", "."])
space = st.from_regex(r"[A-Za-z0-9_]{1,8}", fullmatch=True).filter(lambda t: t != "system")
word = st.from_regex(r"[A-Za-z0-9_-]{1,8}", fullmatch=True)
datasets = (
    st.builds(names.dataset, tricky, tricky)
    | st.builds(names.home_dataset, space, text)
    | st.builds(names.stream, space, word)
    | st.builds(names.dataset, st.sampled_from(["spark", "stream"]), tricky)
)
flows = st.builds(names.data_flow, st.just("colophon") | tricky, word | tricky, space | tricky)
spelt_urns = (
    datasets
    | st.builds(names.field, datasets, tricky)
    | flows
    | st.builds(names.data_job, flows, tricky | tricky.map(lambda t: f"flows.{t}"))
    | st.builds(names.program, space, word, st.sampled_from(names.PROGRAM_TYPES), word)
    | st.builds(names.program, space, word, st.sampled_from(sorted(names.ANY_ID_TYPES)), tricky)
    | st.builds(names.namespace, space)
    | st.builds(lambda s, x: names.custom("external", [("namespace", s), ("external", x)]), space, tricky)
)


IDENTITY = Identity()
FLOW = names.data_flow("spark", "etl.v1", "PROD")


@pytest.mark.parametrize(
    ("urn", "key", "plural"),
    [
        (names.home_dataset("default", "purchases"), "dataset.default.purchases", None),
        (names.home_dataset("default", "a.b"), "dataset.default.a.b", None),
        (names.stream("default", "clicks"), "stream.default.clicks", None),
        (
            names.dataset("file", "/a.csv"),
            "dataset.default.urn:li:dataset:(urn:li:dataPlatform:file,/a.csv,PROD)",
            None,
        ),
        (names.program("n", "shop", "flows", "orders"), "flow.n.shop.orders", "flows.n.shop.orders"),
        (names.program("n", "shop", "mapreduce", "m"), "mapreduce.n.shop.m", "mapreduce.n.shop.m"),
        (names.cell_program("n", "a.ipynb", "c"), "cell.n.notebook.a.ipynb#c", "cells.n.notebook.a.ipynb#c"),
        (
            names.data_job(FLOW, "a.b%"),
            "job.default.urn:li:dataFlow:(spark,etl%2Ev1,PROD).a.b%",
            "jobs.default.urn:li:dataFlow:(spark,etl%2Ev1,PROD).a.b%",
        ),
        (names.custom("external", [("namespace", "n"), ("external", "a.b")]), "external.n.-.a.b", None),
        (names.data_flow("colophon", "shop", "n"), "application.n.shop", None),
        (names.namespace("n"), "urn:li:namespace:n", None),
    ],
)
def test_a_key_is_the_kind_the_namespace_and_the_name(urn: Urn, key: str, plural: str | None) -> None:
    assert lineage_key(urn, IDENTITY) == key
    assert lineage_key(urn, IDENTITY, plural=True) == (plural or key)


@given(spelt_urns)
def test_every_key_leads_back_to_its_entity(urn: Urn) -> None:
    for plural in (False, True):
        assert from_lineage_key(lineage_key(urn, IDENTITY, plural=plural), IDENTITY) == urn


def test_a_key_holds_the_namespace_that_was_stored() -> None:
    assert lineage_key(names.data_job(FLOW, "x"), IDENTITY, "sales").startswith("job.sales.")


@pytest.mark.parametrize(
    "key", ["", "dataset", "dataset.n", "dataset.n.", "flow.n.a", "dance.n.a.b", "external.n.a.b", "urn:li:"]
)
def test_what_is_no_key_is_refused(key: str) -> None:
    with pytest.raises(InvalidName):
        from_lineage_key(key, IDENTITY)
