"""Every entity has one canonical name, and it can be read back (spec ID-1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.identity.names import Identity, Urn

HOSTILE = "%,()\u241f=:./#*?'\"<>& \\-_ aZ9é\u0301ß漢\U0001f600\u202e\xa0"
text = st.text(alphabet=HOSTILE, min_size=1, max_size=24) | st.text(
    alphabet=st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=24
)
tricky = text | text.map(lambda t: f"urn:li:{t}") | st.sampled_from(["urn:li:tag:a", "urn:li:dataset:(a", "%41", "%"])
space = st.from_regex(r"[A-Za-z0-9_]{1,10}", fullmatch=True)
word = st.from_regex(r"[A-Za-z0-9_-]{1,10}", fullmatch=True)
datasets = st.builds(names.dataset, tricky, tricky)
flows = st.builds(names.data_flow, tricky, tricky, tricky)
pairs = st.lists(st.tuples(st.sampled_from("abcdxyz"), tricky), min_size=1, max_size=4, unique_by=lambda p: p[0])
urns = (
    datasets
    | st.builds(names.home_dataset, space.filter(lambda s: s != "system"), text)
    | st.builds(names.field, datasets, tricky)
    | flows
    | st.builds(names.data_job, flows, tricky)
    | st.builds(names.program, space, word, st.sampled_from(sorted(names.ANY_ID_TYPES)), tricky)
    | st.builds(names.namespace, space)
    | st.builds(names.instance, tricky, tricky)
    | pairs.map(lambda p: names.custom(p[0][0], p))
    | st.builds(names.run_urn, flows, tricky)
)

TABLE = [
    (names.namespace("sales"), "urn:li:namespace:sales"),
    (names.home_dataset("sales", "orders"), "urn:li:dataset:(urn:li:dataPlatform:spark,sales.orders,PROD)"),
    (names.dataset("file", "/data/x.parquet"), "urn:li:dataset:(urn:li:dataPlatform:file,/data/x.parquet,PROD)"),
    (names.dataset("file", "/a, (b)"), "urn:li:dataset:(urn:li:dataPlatform:file,/a%2C %28b%29,PROD)"),
    (names.dataset("file", "100%␟", "DEV"), "urn:li:dataset:(urn:li:dataPlatform:file,100%25%E2%90%9F,DEV)"),
    (names.stream("sales", "clicks"), "urn:li:dataset:(urn:li:dataPlatform:stream,sales.clicks,PROD)"),
    (
        names.field(names.home_dataset("hr", "employee"), "empName"),
        "urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:spark,hr.employee,PROD),empName)",
    ),
    (names.data_flow("colophon", "shop", "sales"), "urn:li:dataFlow:(colophon,shop,sales)"),
    (
        names.program("sales", "shop", "flows", "orders"),
        "urn:li:dataJob:(urn:li:dataFlow:(colophon,shop,sales),flows.orders)",
    ),
    (
        names.notebook_program("default", "a b/flights.ipynb"),
        "urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),notebooks.a b/flights.ipynb)",
    ),
    (
        names.cell_program("default", "examples/flights.ipynb", "4f-2"),
        "urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.examples/flights.ipynb#4f-2)",
    ),
    (names.instance("runtimes", "kfp-qa"), "urn:li:instance:(runtimes,kfp-qa)"),
    (
        names.custom("Artifact", [("Namespace", "n"), ("artifact", "x=y"), ("version", "1,0")]),
        "urn:li:custom:(artifact,namespace=n,artifact=x%3Dy,version=1%2C0)",
    ),
    (
        names.run_urn(names.namespace("n"), "3f2c8a10-0000-4000-8000-1234567890aB"),
        "urn:li:dataProcessInstance:3f2c8a10-0000-4000-8000-1234567890aB",
    ),
]


@pytest.mark.parametrize(("urn", "written"), TABLE)
def test_each_kind_of_thing_is_written_as_the_table_of_identity_says(urn: Urn, written: str) -> None:
    assert str(urn) == written
    assert Urn.parse(written) == urn


@given(urns)
def test_every_name_is_read_back_as_it_was_written(urn: Urn) -> None:
    assert Urn.parse(str(urn)) == urn
    assert hash(Urn.parse(str(urn))) == hash(urn)


@given(st.text(alphabet="urn:li:dataset(,)%419aE=\u241f", max_size=40).map(lambda t: f"urn:li:{t}") | tricky)
def test_what_can_be_read_has_one_canonical_text(candidate: str) -> None:
    try:
        canonical = str(Urn.parse(candidate))
    except InvalidName:
        return
    assert str(Urn.parse(canonical)) == canonical


@given(tricky, tricky)
def test_two_different_names_are_never_written_alike(one: str, other: str) -> None:
    assert (str(names.dataset("file", one)) == str(names.dataset("file", other))) == (one == other)


@given(tricky)
def test_the_parts_of_a_name_are_the_texts_it_was_made_of(name: str) -> None:
    assert Urn.parse(str(names.dataset("file", name))).parts[1] == name


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("urn:li:tag:%41%2d", "urn:li:tag:A-"),
        ("urn:li:tag:100%", "urn:li:tag:100%25"),
        ("urn:li:tag:%2x", "urn:li:tag:%252x"),
        ("urn:li:tag:%2525", "urn:li:tag:%2525"),
        ("urn:li:tag:a:b", "urn:li:tag:a:b"),
        ("urn:li:mlModel:(urn:li:tag:%41,x)", "urn:li:mlModel:(urn:li:tag:A,x)"),
        ("urn:li:mlModel:(urn%3Ali:x,y)", "urn:li:mlModel:(urn%3Ali:x,y)"),
        ("urn:li:mlModel:(a)", "urn:li:mlModel:(a)"),
    ],
)
def test_needless_escapes_are_written_plainly_and_a_lone_percent_stands_for_itself(
    written: str, canonical: str
) -> None:
    assert str(Urn.parse(written)) == canonical


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "urn:li:",
        "urn:li:dataset",
        "urn:li:dataset:",
        "urn:x:dataset:a",
        "urn:li:da-ta:a",
        "URN:LI:tag:a",
        " urn:li:tag:a",
        "urn:li:tag:a,b",
        "urn:li:tag:a)",
        "urn:li:tag:a\u241fb",
        "urn:li:tag:%FF",
        "urn:li:tag:%00",
        "urn:li:tag:a\x00",
        "urn:li:tag:a\n",
        "urn:li:tag:a\x85",
        "urn:li:tag:\ud800",
        "urn:li:tag:" + "a" * 4096,
        "urn:li:tag:" + "é" * 2043,
        "urn:li:tag:" + "%" * 2000,
        "urn:li:x:(a",
        "urn:li:x:(a))",
        "urn:li:x:(a)b",
        "urn:li:x:()",
        "urn:li:x:(a,)",
        "urn:li:x:(a,b(c))",
        "urn:li:x:(urn:li:y,b)",
        "urn:li:x:(" * 5 + "a" + ")" * 5,
        "urn:li:x:(" * 300,
        "urn:li:dataset:(urn:li:dataPlatform:spark,a.b)",
        "urn:li:dataset:(spark,a.b,PROD)",
        "urn:li:dataset:(urn:li:tag:spark,a.b,PROD)",
        "urn:li:dataset:(urn:li:dataPlatform:spark,a.b,prod)",
        "urn:li:dataset:a",
        "urn:li:dataset:(urn:li:dataPlatform:file," + "é" * 257 + ",PROD)",
        "urn:li:dataJob:(urn:li:tag:a,b)",
        "urn:li:dataFlow:(a,b)",
        "urn:li:schemaField:(a,b)",
        "urn:li:namespace:a-b",
        "urn:li:namespace:(a)",
        "urn:li:namespace:é",
        "urn:li:instance:(a,b,c)",
        "urn:li:custom:(a)",
        "urn:li:custom:(a,b=c)",
        "urn:li:custom:(a,a=1,a=2)",
        "urn:li:custom:(a,a=)",
        "urn:li:custom:(A,A=1)",
    ],
)
def test_what_breaks_the_grammar_is_refused(bad: str) -> None:
    with pytest.raises(InvalidName):
        Urn.parse(bad)


def test_letter_case_counts_in_names() -> None:
    assert names.home_dataset("sales", "Orders") != names.home_dataset("sales", "orders")


@pytest.mark.parametrize(
    ("urn", "namespace", "short", "platform"),
    [
        (names.home_dataset("sales", "orders"), "sales", "orders", "spark"),
        (names.home_dataset("sales", "a.b"), "sales", "a.b", "spark"),
        (names.field(names.home_dataset("sales", "orders"), "id"), "sales", "id", "spark"),
        (names.dataset("spark", "orders"), "default", "orders", "spark"),
        (names.dataset("spark", "sales.orders", "DEV"), "default", "sales.orders", "spark"),
        (names.dataset("spark", "sa-les.orders"), "default", "sa-les.orders", "spark"),
        (names.dataset("spark", "system.orders"), "default", "system.orders", "spark"),
        (names.dataset("spark", "lake/sales.orders"), "default", "lake/sales.orders", "spark"),
        (names.dataset("spark", "sales.urn:li:tag:a"), "default", "sales.urn:li:tag:a", "spark"),
        (names.dataset("spark", "sales."), "default", "sales.", "spark"),
        (names.dataset("s3", "raw/2013/x.csv"), "lake", "raw/2013/x.csv", "s3"),
        (names.stream("sales", "clicks"), "sales", "clicks", "stream"),
        (names.dataset("stream", "sales.a b"), "default", "sales.a b", "stream"),
        (names.data_flow("colophon", "shop", "sales"), "sales", "shop", "colophon"),
        (names.data_flow("airflow", "shop", "sales"), "default", "shop", "airflow"),
        (names.program("sales", "shop", "flows", "orders"), "sales", "orders", "colophon"),
        (names.cell_program("default", "a.ipynb", "c1"), "default", "a.ipynb#c1", "colophon"),
        (names.namespace("sales"), "sales", "sales", None),
        (names.instance("runtimes", "kfp"), "", "kfp", None),
        (names.custom("artifact", [("namespace", "n"), ("artifact", "x")]), "n", "x", None),
    ],
)
def test_a_name_says_its_namespace_its_short_name_and_its_platform(
    urn: Urn, namespace: str, short: str, platform: str | None
) -> None:
    identity = Identity(namespace_rules=(("*dataPlatform:s3,raw/*", "lake"), ("*:s3,*", "other")))
    assert identity.namespace_of(urn) == namespace
    assert identity.short_name(urn) == short
    assert identity.platform_of(urn) == platform


def test_only_tables_of_a_fitting_database_are_at_home() -> None:
    identity = Identity()
    assert identity.is_home(names.home_dataset("sales", "orders"))
    assert identity.is_home(names.home_dataset("Sales", "a/b"))
    for name in ("orders", "sales.", ".orders", "sa-les.orders", "system.orders", "c/d.e", "sales.urn:li:x"):
        assert not identity.is_home(names.dataset("spark", name))
    assert not identity.is_home(names.stream("sales", "clicks"))
    assert not identity.is_home(names.namespace("sales"))


def test_home_is_where_the_settings_say() -> None:
    identity = Identity(default_platform="hive", default_fabric="DEV")
    assert str(identity.home("a", "b")) == "urn:li:dataset:(urn:li:dataPlatform:hive,a.b,DEV)"
    assert not identity.is_home(names.home_dataset("a", "b"))


@pytest.mark.parametrize(("namespace", "name"), [("system", "t"), ("a-b", "t"), ("a", "urn:li:tag:x"), ("a", "")])
def test_a_foreign_name_is_not_made_into_a_home_dataset(namespace: str, name: str) -> None:
    with pytest.raises(InvalidName):
        names.home_dataset(namespace, name)


@given(space, tricky.filter(lambda t: len(t) < 40), word)
def test_a_cell_leads_back_to_its_notebook(namespace: str, path: str, cell: str) -> None:
    assert names.notebook_of(names.cell_program(namespace, path, cell)) == (path, cell)
    assert names.notebook_of(names.notebook_program(namespace, path)) == (path, None)


def test_programs_that_are_not_ours_have_no_application() -> None:
    assert names.program_of(names.program("n", "a", "flows", "f")) == ("n", "a", "flows", "f")
    for flow, job in [(("airflow", "a", "n"), "flows.f"), (("colophon", "a", "n"), "dances.f")]:
        assert names.program_of(names.data_job(names.data_flow(*flow), job)) is None
    assert names.program_of(names.data_job(names.data_flow("colophon", "a", "n"), "flows.a b")) is None
    assert names.notebook_of(names.program("n", "a", "flows", "f")) is None
    assert names.notebook_of(names.namespace("n")) is None


@pytest.mark.parametrize(
    ("application", "type_", "id_"),
    [("a.b", "flows", "f"), ("a", "flow", "f"), ("a", "flows", "f.g"), ("a", "jobs", "")],
)
def test_programs_that_do_not_fit_are_refused(application: str, type_: str, id_: str) -> None:
    with pytest.raises(InvalidName):
        names.program("n", application, type_, id_)


def test_a_run_is_named_by_its_program_too_unless_its_id_is_a_uuid() -> None:
    one, other = names.program("n", "a", "flows", "f"), names.program("n", "a", "flows", "g")
    assert names.run_urn(one, "1") == names.run_urn(one, "1")
    assert names.run_urn(one, "1") != names.run_urn(other, "1")
    # Rows name runs so: the constant behind this must not change.
    assert str(names.run_urn(one, "1")) == "urn:li:dataProcessInstance:f056dcba-e831-506f-ba5d-a2471a4b91e8"


@pytest.mark.parametrize("type_", ["dataset", "Namespace", "program"])
def test_a_custom_entity_takes_no_type_that_is_ours(type_: str) -> None:
    with pytest.raises(InvalidName):
        names.custom(type_, [(type_, "x")])


@pytest.mark.parametrize(
    ("typed", "urn"),
    [
        ("flights.flights", names.home_dataset("flights", "flights")),
        ("  flights.flights ", names.home_dataset("flights", "flights")),
        ("`flights`.`daily delays`", names.home_dataset("flights", "daily delays")),
        ("spark_catalog.flights.flights", names.home_dataset("flights", "flights")),
        ("lake.flights.flights", names.dataset("spark", "lake/flights.flights")),
        ("urn:li:namespace:sales", names.namespace("sales")),
        ("/data/x.csv", names.dataset("file", "/data/x.csv")),
    ],
)
def test_people_type_a_table_a_path_or_a_urn(typed: str, urn: Urn) -> None:
    assert names.parse_data_name(typed, Identity()) == urn


@pytest.mark.parametrize(
    "typed", ["", "flights", "a.b.c.d", "a..b", "data/x.csv", "a b.c", "system.t", "urn:li:x", "a.\n"]
)
def test_what_people_type_wrongly_is_refused_with_what_to_write_instead(typed: str) -> None:
    with pytest.raises(InvalidName) as caught:
        names.parse_data_name(typed, Identity())
    assert caught.value.reason
