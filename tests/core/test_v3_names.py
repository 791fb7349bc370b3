"""Conversion between URNs and paths of `/v3`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.cdap.names import V3Path, make_v3_path, make_v3_run_path, parse_v3_path
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
    | st.builds(names.make_field_urn, datasets, tricky)
    | flows
    | st.builds(names.make_data_job_urn, flows, tricky | tricky.map(lambda t: f"flows.{t}"))
    | st.builds(names.make_program_urn, space, word, st.sampled_from(names.PROGRAM_TYPES), word)
    | st.builds(names.make_program_urn, space, word, st.sampled_from(sorted(names.ANY_ID_TYPES)), tricky)
    | st.builds(names.make_namespace_urn, space)
    | customs
)


IDENTITY = IdentityRules(namespace_rules=(("*dataPlatform:file,*", "files"),))
SALES = ("namespaces", "sales")
FILE = names.make_dataset_urn("file", "/data/x.parquet")
FOREIGN_FLOW = names.make_data_flow_urn("spark", "etl", "PROD")
ARTIFACT = names.make_custom_urn("artifact", [("namespace", "n"), ("artifact", "x"), ("version", "1.0")])

TABLE = [
    (names.make_namespace_urn("sales"), SALES),
    (names.make_home_dataset_urn("sales", "orders"), (*SALES, "datasets", "orders")),
    (FILE, ("namespaces", "files", "datasets", str(FILE))),
    (names.make_stream_urn("sales", "clicks"), (*SALES, "streams", "clicks")),
    (
        names.make_field_urn(names.make_home_dataset_urn("sales", "orders"), "empName"),
        (*SALES, "datasets", "orders", "field", "empName"),
    ),
    (names.make_field_urn(FILE, "a/b"), ("namespaces", "files", "datasets", str(FILE), "field", "a/b")),
    (names.make_field_urn(names.make_stream_urn("sales", "clicks"), "t"), (*SALES, "streams", "clicks", "field", "t")),
    (names.make_data_flow_urn("colophon", "shop", "sales"), (*SALES, "apps", "shop")),
    (FOREIGN_FLOW, ("namespaces", "default", "apps", str(FOREIGN_FLOW))),
    (names.make_program_urn("sales", "shop", "flows", "orders"), (*SALES, "apps", "shop", "flows", "orders")),
    (
        names.make_cell_program_urn("default", "a b/c.ipynb", "1"),
        ("namespaces", "default", "apps", "notebook", "cells", "a b/c.ipynb#1"),
    ),
    (names.make_data_job_urn(FOREIGN_FLOW, "a.b"), ("namespaces", "default", "apps", str(FOREIGN_FLOW), "jobs", "a.b")),
    (ARTIFACT, ("namespaces", "n", "artifacts", "x", "versions", "1.0")),
    (
        names.make_custom_urn("view", [("namespace", "n"), ("stream", "s"), ("view", "v")]),
        ("namespaces", "n", "streams", "s", "views", "v"),
    ),
]


@pytest.mark.parametrize(("urn", "segments"), TABLE)
def test_v3_path_matches_the_identity_table(urn: Urn, segments: tuple[str, ...]) -> None:
    assert make_v3_path(urn, IDENTITY) == V3Path(segments)
    assert parse_v3_path(segments, IDENTITY) == urn


@given(spelt_urns)
def test_v3_path_parses_to_its_entity(urn: Urn) -> None:
    try:
        path = make_v3_path(urn, IDENTITY)
    except InvalidName:
        # Only custom entities whose keys have another meaning in a path have no path.
        assert urn.type == "custom"
        return
    assert parse_v3_path(path.segments, IDENTITY, path.type) == urn


@given(
    st.lists(
        st.sampled_from(["namespaces", "apps", "flows", "field", "datasets", "a", "versions", "runs", "x y"]),
        max_size=8,
    )
)
def test_any_path_parses_or_raises_invalid_name(segments: list[str]) -> None:
    try:
        urn = parse_v3_path(segments, IDENTITY)
    except InvalidName:
        return
    assert Urn.parse(str(urn)) == urn


@given(space)
def test_path_of_external_entity_has_stored_namespace(stored: str) -> None:
    path = make_v3_path(FILE, IDENTITY, stored)
    assert path.segments[1] == stored
    assert parse_v3_path(path.segments, IDENTITY) == FILE


def test_run_path_extends_program_path() -> None:
    program = names.make_program_urn("sales", "shop", "flows", "orders")
    path = make_v3_run_path(program, "17", IDENTITY)
    assert path == V3Path((*SALES, "apps", "shop", "flows", "orders", "runs", "17"))
    assert parse_v3_path(path.segments, IDENTITY) == names.make_run_urn(program, "17")


def test_name_starting_like_urn_is_parsed_as_urn() -> None:
    orders = names.make_home_dataset_urn("sales", "orders")
    assert parse_v3_path((*SALES, "datasets", str(orders)), IDENTITY) == orders
    with pytest.raises(InvalidName):
        parse_v3_path((*SALES, "datasets", "urn:li:namespace:sales"), IDENTITY)


def test_words_are_folded_and_names_are_kept() -> None:
    assert parse_v3_path(("Namespaces", "Sales", "DATASET", "Orders"), IDENTITY) == names.make_home_dataset_urn(
        "Sales", "Orders"
    )
    assert parse_v3_path((*SALES, "stream", "clicks"), IDENTITY) == names.make_stream_urn("sales", "clicks")


def test_custom_entity_type_defaults_to_last_key() -> None:
    segments = (*SALES, "datasets", "e", "field", "empName", "part", "first")
    last = parse_v3_path(segments, IDENTITY)
    assert str(last) == "urn:li:custom:(part,namespace=sales,dataset=e,field=empName,part=first)"
    assert make_v3_path(last, IDENTITY) == V3Path(segments)
    urn = parse_v3_path((*SALES, "box", "a", "lid", "b"), IDENTITY, "box")
    assert make_v3_path(urn, IDENTITY) == V3Path((*SALES, "box", "a", "lid", "b"), "box")
    below = parse_v3_path((*SALES, "apps", "shop", "widgets", "w"), IDENTITY, "widgets")
    assert make_v3_path(below, IDENTITY) == V3Path((*SALES, "apps", "shop", "widgets", "w"), "widgets")


@pytest.mark.parametrize("type_", ["dataset", "Dataset"])
def test_matching_type_parameter_is_accepted(type_: str) -> None:
    assert parse_v3_path((*SALES, "datasets", "e"), IDENTITY, type_) == names.make_home_dataset_urn("sales", "e")
    program = (*SALES, "apps", "shop", "flows", "f")
    assert parse_v3_path(program, IDENTITY, "program") == names.make_program_urn("sales", "shop", "flows", "f")


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
def test_invalid_path_raises_invalid_name(segments: tuple[str, ...], type_: str | None) -> None:
    with pytest.raises(InvalidName):
        parse_v3_path(segments, IDENTITY, type_)


@pytest.mark.parametrize(
    "urn",
    [
        names.make_instance_urn("runtimes", "kfp"),
        names.make_run_urn(FILE, "1"),
        names.make_field_urn(names.make_namespace_urn("n"), "f"),
        Urn("custom", ("flows", "namespace=n", "application=a", "flows=f")),
    ],
)
def test_entity_without_path_raises_invalid_name(urn: Urn) -> None:
    with pytest.raises(InvalidName):
        make_v3_path(urn, IDENTITY)
