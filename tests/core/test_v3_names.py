"""How `/v3` spells entities, both ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.cdap.names import V3Path, from_v3, v3_path, v3_run_path
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
pairs = st.lists(
    st.tuples(st.sampled_from(["namespace", "dataset", "field", "flows", "run", "a", "app", "version"]), tricky | word),
    min_size=1,
    max_size=4,
    unique_by=lambda pair: pair[0],
)
customs = st.tuples(space, pairs).map(
    lambda made: Urn(
        "custom", (made[1][-1][0], *(f"{key}={made[0] if key == 'namespace' else value}" for key, value in made[1]))
    )
)
spelt_urns = (
    datasets
    | st.builds(names.field, datasets, tricky)
    | flows
    | st.builds(names.data_job, flows, tricky | tricky.map(lambda t: f"flows.{t}"))
    | st.builds(names.program, space, word, st.sampled_from(names.PROGRAM_TYPES), word)
    | st.builds(names.program, space, word, st.sampled_from(sorted(names.ANY_ID_TYPES)), tricky)
    | st.builds(names.namespace, space)
    | customs
)


IDENTITY = Identity(namespace_rules=(("*dataPlatform:file,*", "files"),))
SALES = ("namespaces", "sales")
FILE = names.dataset("file", "/data/x.parquet")
FOREIGN_FLOW = names.data_flow("spark", "etl", "PROD")
ARTIFACT = names.custom("artifact", [("namespace", "n"), ("artifact", "x"), ("version", "1.0")])

TABLE = [
    (names.namespace("sales"), SALES),
    (names.home_dataset("sales", "orders"), (*SALES, "datasets", "orders")),
    (FILE, ("namespaces", "files", "datasets", str(FILE))),
    (names.stream("sales", "clicks"), (*SALES, "streams", "clicks")),
    (names.field(names.home_dataset("sales", "orders"), "empName"), (*SALES, "datasets", "orders", "field", "empName")),
    (names.field(FILE, "a/b"), ("namespaces", "files", "datasets", str(FILE), "field", "a/b")),
    (names.field(names.stream("sales", "clicks"), "t"), (*SALES, "streams", "clicks", "field", "t")),
    (names.data_flow("colophon", "shop", "sales"), (*SALES, "apps", "shop")),
    (FOREIGN_FLOW, ("namespaces", "default", "apps", str(FOREIGN_FLOW))),
    (names.program("sales", "shop", "flows", "orders"), (*SALES, "apps", "shop", "flows", "orders")),
    (
        names.cell_program("default", "a b/c.ipynb", "1"),
        ("namespaces", "default", "apps", "notebook", "cells", "a b/c.ipynb#1"),
    ),
    (names.data_job(FOREIGN_FLOW, "a.b"), ("namespaces", "default", "apps", str(FOREIGN_FLOW), "jobs", "a.b")),
    (ARTIFACT, ("namespaces", "n", "artifacts", "x", "versions", "1.0")),
    (
        names.custom("view", [("namespace", "n"), ("stream", "s"), ("view", "v")]),
        ("namespaces", "n", "streams", "s", "views", "v"),
    ),
]


@pytest.mark.parametrize(("urn", "segments"), TABLE)
def test_each_kind_of_thing_has_the_path_of_the_table_of_identity(urn: Urn, segments: tuple[str, ...]) -> None:
    assert v3_path(urn, IDENTITY) == V3Path(segments)
    assert from_v3(segments, IDENTITY) == urn


@given(spelt_urns)
def test_every_path_leads_back_to_its_entity(urn: Urn) -> None:
    try:
        path = v3_path(urn, IDENTITY)
    except InvalidName:
        # Only a custom entity whose words mean something else in a path has none.
        assert urn.type == "custom"
        return
    assert from_v3(path.segments, IDENTITY, path.type) == urn


@given(
    st.lists(
        st.sampled_from(["namespaces", "apps", "flows", "field", "datasets", "a", "versions", "runs", "x y"]),
        max_size=8,
    )
)
def test_any_path_is_read_or_refused(segments: list[str]) -> None:
    try:
        urn = from_v3(segments, IDENTITY)
    except InvalidName:
        return
    assert Urn.parse(str(urn)) == urn


@given(space)
def test_the_namespace_that_was_stored_stands_in_the_path_of_a_foreign_entity(stored: str) -> None:
    path = v3_path(FILE, IDENTITY, stored)
    assert path.segments[1] == stored
    assert from_v3(path.segments, IDENTITY) == FILE


def test_a_run_is_below_its_program() -> None:
    program = names.program("sales", "shop", "flows", "orders")
    path = v3_run_path(program, "17", IDENTITY)
    assert path == V3Path((*SALES, "apps", "shop", "flows", "orders", "runs", "17"))
    assert from_v3(path.segments, IDENTITY) == names.run_urn(program, "17")


def test_a_name_that_begins_like_a_urn_is_read_as_one() -> None:
    orders = names.home_dataset("sales", "orders")
    assert from_v3((*SALES, "datasets", str(orders)), IDENTITY) == orders
    with pytest.raises(InvalidName):
        from_v3((*SALES, "datasets", "urn:li:namespace:sales"), IDENTITY)


def test_words_are_folded_and_singular_words_are_taken_but_names_are_kept() -> None:
    assert from_v3(("Namespaces", "Sales", "DATASET", "Orders"), IDENTITY) == names.home_dataset("Sales", "Orders")
    assert from_v3((*SALES, "stream", "clicks"), IDENTITY) == names.stream("sales", "clicks")


def test_the_type_of_a_custom_entity_is_said_or_is_its_last_key() -> None:
    segments = (*SALES, "datasets", "e", "field", "empName", "part", "first")
    last = from_v3(segments, IDENTITY)
    assert str(last) == "urn:li:custom:(part,namespace=sales,dataset=e,field=empName,part=first)"
    assert v3_path(last, IDENTITY) == V3Path(segments)
    said = from_v3((*SALES, "box", "a", "lid", "b"), IDENTITY, "box")
    assert v3_path(said, IDENTITY) == V3Path((*SALES, "box", "a", "lid", "b"), "box")
    below = from_v3((*SALES, "apps", "shop", "widgets", "w"), IDENTITY, "widgets")
    assert v3_path(below, IDENTITY) == V3Path((*SALES, "apps", "shop", "widgets", "w"), "widgets")


@pytest.mark.parametrize("type_", ["dataset", "Dataset"])
def test_a_type_of_ours_may_be_said_where_it_fits(type_: str) -> None:
    assert from_v3((*SALES, "datasets", "e"), IDENTITY, type_) == names.home_dataset("sales", "e")
    program = (*SALES, "apps", "shop", "flows", "f")
    assert from_v3(program, IDENTITY, "program") == names.program("sales", "shop", "flows", "f")


@pytest.mark.parametrize(
    ("segments", "type_"),
    [
        ((), None),
        (("namespaces",), None),
        (("namespaces", "a-b"), None),
        (("namespaces", "a-b", "datasets", "urn:li:dataset:(urn:li:dataPlatform:file,/x,PROD)"), None),
        ((*SALES, "datasets", ""), None),
        (("namespaces", "system", "datasets", "x"), None),
        ((*SALES, "apps", "a b"), None),
        ((*SALES, "apps", "shop", "dances", "d"), None),
        ((*SALES, "apps", "shop", "flows", "a.b"), None),
        ((*SALES, "apps", str(FOREIGN_FLOW), "flows", "f"), None),
        ((*SALES, "streams", "a.b"), None),
        ((*SALES, "datasets", "e"), "namespace"),
        ((*SALES, "datasets", "e", "field", "f"), "dataset"),
        ((*SALES, "datasets", "e", "part", "f"), "dataset"),
        ((*SALES, "datasets", "e", "part", "f"), "artifact"),
        ((*SALES, "artifacts", "x"), None),
        ((*SALES, "part", "a", "PART", "b"), None),
        ((*SALES, "part", "a"), "lid"),
    ],
)
def test_what_is_no_path_is_refused(segments: tuple[str, ...], type_: str | None) -> None:
    with pytest.raises(InvalidName):
        from_v3(segments, IDENTITY, type_)


@pytest.mark.parametrize(
    "urn",
    [
        names.instance("runtimes", "kfp"),
        names.run_urn(FILE, "1"),
        names.field(names.namespace("n"), "f"),
        Urn("custom", ("flows", "namespace=n", "application=a", "flows=f")),
    ],
)
def test_what_has_no_path_is_refused(urn: Urn) -> None:
    with pytest.raises(InvalidName):
        v3_path(urn, IDENTITY)
