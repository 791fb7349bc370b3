"""Every entity has one canonical name, which can be parsed (spec ID-1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.lineage.written_data_name import format_written_data_name

HOSTILE = "%,()\u241f=:./#*?'\"<>& \\-_ aZ9é\u0301ß漢\U0001f600\u202e\xa0"
text = st.text(alphabet=HOSTILE, min_size=1, max_size=24) | st.text(
    alphabet=st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=24
)
tricky = text | text.map(lambda t: f"urn:li:{t}") | st.sampled_from(["urn:li:tag:a", "urn:li:dataset:(a", "%41", "%"])
space = st.from_regex(r"[A-Za-z0-9_]{1,10}", fullmatch=True)
word = st.from_regex(r"[A-Za-z0-9_-]{1,10}", fullmatch=True)
datasets = st.builds(names.make_dataset_urn, tricky, tricky)
flows = st.builds(names.make_data_flow_urn, tricky, tricky, tricky)
pairs = st.lists(st.tuples(st.sampled_from("abcdxyz"), tricky), min_size=1, max_size=4, unique_by=lambda p: p[0])
urns = (
    datasets
    | st.builds(names.make_home_dataset_urn, space.filter(lambda s: s != "system"), text)
    | st.builds(names.make_model_urn, tricky, tricky)
    | st.builds(names.make_home_model_urn, space.filter(lambda s: s != "system"), text)
    | st.builds(names.make_field_urn, datasets, tricky)
    | flows
    | st.builds(names.make_data_job_urn, flows, tricky)
    | st.builds(names.make_program_urn, space, word, st.sampled_from(sorted(names.ANY_ID_TYPES)), tricky)
    | st.builds(names.make_namespace_urn, space)
    | st.builds(names.make_instance_urn, tricky, tricky)
    | pairs.map(lambda p: names.make_custom_urn(p[0][0], p))
    | st.builds(names.make_run_urn, flows, tricky)
)

TABLE = [
    (names.make_namespace_urn("sales"), "urn:li:namespace:sales"),
    (names.make_home_dataset_urn("sales", "orders"), "urn:li:dataset:(urn:li:dataPlatform:spark,sales.orders,PROD)"),
    (
        names.make_dataset_urn("file", "/data/x.parquet"),
        "urn:li:dataset:(urn:li:dataPlatform:file,/data/x.parquet,PROD)",
    ),
    (
        names.make_home_model_urn("sales", "churn.trees"),
        "urn:li:mlModel:(urn:li:dataPlatform:colophon,sales.churn.trees,PROD)",
    ),
    (
        names.make_model_urn("file", "/data/churn.joblib"),
        "urn:li:mlModel:(urn:li:dataPlatform:file,/data/churn.joblib,PROD)",
    ),
    (names.make_dataset_urn("file", "/a, (b)"), "urn:li:dataset:(urn:li:dataPlatform:file,/a%2C %28b%29,PROD)"),
    (names.make_dataset_urn("file", "100%␟", "DEV"), "urn:li:dataset:(urn:li:dataPlatform:file,100%25%E2%90%9F,DEV)"),
    (names.make_stream_urn("sales", "clicks"), "urn:li:dataset:(urn:li:dataPlatform:stream,sales.clicks,PROD)"),
    (
        names.make_field_urn(names.make_home_dataset_urn("hr", "employee"), "empName"),
        "urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:spark,hr.employee,PROD),empName)",
    ),
    (names.make_data_flow_urn("colophon", "shop", "sales"), "urn:li:dataFlow:(colophon,shop,sales)"),
    (
        names.make_program_urn("sales", "shop", "flows", "orders"),
        "urn:li:dataJob:(urn:li:dataFlow:(colophon,shop,sales),flows.orders)",
    ),
    (
        names.make_notebook_program_urn("default", "a b/flights.ipynb"),
        "urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),notebooks.a b/flights.ipynb)",
    ),
    (
        names.make_cell_program_urn("default", "examples/flights.ipynb", "4f-2"),
        "urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.examples/flights.ipynb#4f-2)",
    ),
    (names.make_instance_urn("runtimes", "kfp-qa"), "urn:li:instance:(runtimes,kfp-qa)"),
    (
        names.make_custom_urn("Artifact", [("Namespace", "n"), ("artifact", "x=y"), ("version", "1,0")]),
        "urn:li:custom:(artifact,namespace=n,artifact=x%3Dy,version=1%2C0)",
    ),
    (
        names.make_run_urn(names.make_namespace_urn("n"), "3f2c8a10-0000-4000-8000-1234567890aB"),
        "urn:li:dataProcessInstance:3f2c8a10-0000-4000-8000-1234567890aB",
    ),
]


@pytest.mark.parametrize(("urn", "written"), TABLE)
def test_urn_text_matches_the_identity_table(urn: Urn, written: str) -> None:
    assert str(urn) == written
    assert Urn.parse(written) == urn


@given(urns)
def test_parsing_the_text_returns_the_urn(urn: Urn) -> None:
    assert Urn.parse(str(urn)) == urn
    assert hash(Urn.parse(str(urn))) == hash(urn)


@given(st.text(alphabet="urn:li:dataset(,)%419aE=\u241f", max_size=40).map(lambda t: f"urn:li:{t}") | tricky)
def test_parsed_text_has_one_canonical_form(candidate: str) -> None:
    try:
        canonical = str(Urn.parse(candidate))
    except InvalidName:
        return
    assert str(Urn.parse(canonical)) == canonical


@given(tricky, tricky)
def test_different_names_have_different_texts(one: str, other: str) -> None:
    assert (str(names.make_dataset_urn("file", one)) == str(names.make_dataset_urn("file", other))) == (one == other)


@given(tricky)
def test_parts_are_preserved(name: str) -> None:
    assert Urn.parse(str(names.make_dataset_urn("file", name))).parts[1] == name


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
def test_needless_escapes_are_decoded_and_lone_percent_is_kept(written: str, canonical: str) -> None:
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
def test_invalid_urn_raises_invalid_name(bad: str) -> None:
    with pytest.raises(InvalidName):
        Urn.parse(bad)


def test_names_are_case_sensitive() -> None:
    assert names.make_home_dataset_urn("sales", "Orders") != names.make_home_dataset_urn("sales", "orders")


@pytest.mark.parametrize(
    ("urn", "namespace", "short", "platform"),
    [
        (names.make_home_dataset_urn("sales", "orders"), "sales", "orders", "spark"),
        (names.make_home_dataset_urn("sales", "a.b"), "sales", "a.b", "spark"),
        (names.make_field_urn(names.make_home_dataset_urn("sales", "orders"), "id"), "sales", "id", "spark"),
        (names.make_dataset_urn("spark", "orders"), "default", "orders", "spark"),
        (names.make_dataset_urn("spark", "sales.orders", "DEV"), "default", "sales.orders", "spark"),
        (names.make_dataset_urn("spark", "sa-les.orders"), "default", "sa-les.orders", "spark"),
        (names.make_dataset_urn("spark", "system.orders"), "default", "system.orders", "spark"),
        (names.make_dataset_urn("spark", "lake/sales.orders"), "default", "lake/sales.orders", "spark"),
        (names.make_dataset_urn("spark", "sales.urn:li:tag:a"), "default", "sales.urn:li:tag:a", "spark"),
        (names.make_dataset_urn("spark", "sales."), "default", "sales.", "spark"),
        (names.make_dataset_urn("s3", "raw/2013/x.csv"), "lake", "raw/2013/x.csv", "s3"),
        (names.make_home_model_urn("sales", "churn.trees"), "sales", "churn.trees", "colophon"),
        (names.make_model_urn("file", "/data/churn.joblib"), "default", "/data/churn.joblib", "file"),
        (names.make_model_urn("s3", "raw/churn.pt"), "lake", "raw/churn.pt", "s3"),
        (names.make_model_urn("colophon", "system.trees"), "default", "system.trees", "colophon"),
        (names.make_model_urn("colophon", "trees"), "default", "trees", "colophon"),
        (names.make_stream_urn("sales", "clicks"), "sales", "clicks", "stream"),
        (names.make_dataset_urn("stream", "sales.a b"), "default", "sales.a b", "stream"),
        (names.make_data_flow_urn("colophon", "shop", "sales"), "sales", "shop", "colophon"),
        (names.make_data_flow_urn("airflow", "shop", "sales"), "default", "shop", "airflow"),
        (names.make_program_urn("sales", "shop", "flows", "orders"), "sales", "orders", "colophon"),
        (names.make_cell_program_urn("default", "a.ipynb", "c1"), "default", "a.ipynb#c1", "colophon"),
        (names.make_namespace_urn("sales"), "sales", "sales", None),
        (names.make_instance_urn("runtimes", "kfp"), "", "kfp", None),
        (names.make_custom_urn("artifact", [("namespace", "n"), ("artifact", "x")]), "n", "x", None),
    ],
)
def test_namespace_short_name_and_platform_of_urns(urn: Urn, namespace: str, short: str, platform: str | None) -> None:
    identity = IdentityRules(namespace_rules=(("*dataPlatform:s3,raw/*", "lake"), ("*:s3,*", "other")))
    assert identity.get_namespace(urn) == namespace
    assert identity.get_short_name(urn) == short
    assert identity.get_platform(urn) == platform


def test_only_namespaced_tables_are_home_datasets() -> None:
    identity = IdentityRules()
    assert identity.is_home_dataset(names.make_home_dataset_urn("sales", "orders"))
    assert identity.is_home_dataset(names.make_home_dataset_urn("Sales", "a/b"))
    for name in ("orders", "sales.", ".orders", "sa-les.orders", "system.orders", "c/d.e", "sales.urn:li:x"):
        assert not identity.is_home_dataset(names.make_dataset_urn("spark", name))
    assert not identity.is_home_dataset(names.make_stream_urn("sales", "clicks"))
    assert not identity.is_home_dataset(names.make_namespace_urn("sales"))


def test_home_platform_is_configurable() -> None:
    identity = IdentityRules(default_platform="hive", default_fabric="DEV")
    assert str(identity.make_home_dataset_urn("a", "b")) == "urn:li:dataset:(urn:li:dataPlatform:hive,a.b,DEV)"
    assert not identity.is_home_dataset(names.make_home_dataset_urn("a", "b"))


@pytest.mark.parametrize(("namespace", "name"), [("system", "t"), ("a-b", "t"), ("a", "urn:li:tag:x"), ("a", "")])
def test_invalid_home_name_raises_invalid_name(namespace: str, name: str) -> None:
    with pytest.raises(InvalidName):
        names.make_home_dataset_urn(namespace, name)


@given(space, tricky.filter(lambda t: len(t) < 40), word)
def test_cell_urn_returns_notebook_and_cell(namespace: str, path: str, cell: str) -> None:
    assert names.parse_notebook_program_urn(names.make_cell_program_urn(namespace, path, cell)) == (path, cell)
    assert names.parse_notebook_program_urn(names.make_notebook_program_urn(namespace, path)) == (path, None)


def test_external_jobs_are_not_programs() -> None:
    assert names.parse_program_urn(names.make_program_urn("n", "a", "flows", "f")) == ("n", "a", "flows", "f")
    for flow, job in [(("airflow", "a", "n"), "flows.f"), (("colophon", "a", "n"), "dances.f")]:
        assert names.parse_program_urn(names.make_data_job_urn(names.make_data_flow_urn(*flow), job)) is None
    assert (
        names.parse_program_urn(names.make_data_job_urn(names.make_data_flow_urn("colophon", "a", "n"), "flows.a b"))
        is None
    )
    assert names.parse_notebook_program_urn(names.make_program_urn("n", "a", "flows", "f")) is None
    assert names.parse_notebook_program_urn(names.make_namespace_urn("n")) is None


@pytest.mark.parametrize(
    ("application", "type_", "id_"),
    [("a.b", "flows", "f"), ("a", "flow", "f"), ("a", "flows", "f.g"), ("a", "jobs", "")],
)
def test_invalid_program_raises_invalid_name(application: str, type_: str, id_: str) -> None:
    with pytest.raises(InvalidName):
        names.make_program_urn("n", application, type_, id_)


def test_run_urn_depends_on_program_unless_id_is_uuid() -> None:
    one, other = names.make_program_urn("n", "a", "flows", "f"), names.make_program_urn("n", "a", "flows", "g")
    assert names.make_run_urn(one, "1") == names.make_run_urn(one, "1")
    assert names.make_run_urn(one, "1") != names.make_run_urn(other, "1")
    # Stored rows contain these run URNs: the constant behind them must not change.
    assert str(names.make_run_urn(one, "1")) == "urn:li:dataProcessInstance:f056dcba-e831-506f-ba5d-a2471a4b91e8"


@pytest.mark.parametrize("type_", ["dataset", "Namespace", "program"])
def test_custom_entity_rejects_reserved_types(type_: str) -> None:
    with pytest.raises(InvalidName):
        names.make_custom_urn(type_, [(type_, "x")])


@pytest.mark.parametrize(
    ("typed", "urn"),
    [
        ("flights.flights", names.make_home_dataset_urn("flights", "flights")),
        ("  flights.flights ", names.make_home_dataset_urn("flights", "flights")),
        ("`flights`.`daily delays`", names.make_home_dataset_urn("flights", "daily delays")),
        ("spark_catalog.flights.flights", names.make_home_dataset_urn("flights", "flights")),
        ("lake.flights.flights", names.make_dataset_urn("spark", "lake/flights.flights")),
        ("urn:li:namespace:sales", names.make_namespace_urn("sales")),
        ("/data/x.csv", names.make_dataset_urn("file", "/data/x.csv")),
    ],
)
def test_typed_name_may_be_table_path_or_urn(typed: str, urn: Urn) -> None:
    assert names.parse_dataset_name(typed, IdentityRules()) == urn


@pytest.mark.parametrize(
    "typed", ["", "flights", "a.b.c.d", "a..b", "data/x.csv", "a b.c", "system.t", "urn:li:x", "a.\n"]
)
def test_invalid_typed_name_raises_with_the_correct_form(typed: str) -> None:
    with pytest.raises(InvalidName) as caught:
        names.parse_dataset_name(typed, IdentityRules())
    assert caught.value.reason


def test_cells_are_named_by_written_data_and_else_by_variables():
    variable = str(names.make_variable_urn("default", "a/nb.ipynb", "c1", "orders"))
    table = "urn:li:dataset:(urn:li:dataPlatform:spark,db.totals,PROD)"
    assert format_written_data_name([variable, table]) == "→ db.totals"
    assert format_written_data_name([variable]) == "→ orders"
