"""Directives of artifacts: in one namespace only, in a process of their own, whose failures concern one call."""

from collections.abc import Callable
from typing import Any

import pytest
from jupyter_colophon.apps.dataprep import namespace_directives
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.artifacts.artifact import ArtifactKey
from jupyter_colophon.core.errors import BadRequest, InvalidInstance
from jupyter_colophon.pipelines.artifact_plugins import add_declared_plugins
from jupyter_colophon.pipelines.check import check_and_prepare_pipeline
from jupyter_colophon.pipelines.plugin_registry import load_plugins
from support.artifacts import DIRECTIVES
from support.catalog import ADA

Call = Callable[..., Any]
KEY = ArtifactKey("sales", "shop-directives", "1.0")
PHONES = [{"phone": "030 12"}, {"phone": "none"}, {"phone": "040 7"}]


@pytest.fixture
def phones(catalog: Catalog, call: Call) -> str:
    """The path of a workspace, in a namespace with directives."""
    catalog.artifacts.upload(KEY, DIRECTIVES.encode(), ADA)
    return f"workspaces/{call('POST', 'workspaces', {'name': 'Phones', 'rows': PHONES})['id']}"


def append(call: Call, workspace: str, *lines: str) -> Any:
    return call("POST", f"{workspace}/directives", {"directives": [*lines]})


def test_directive_of_the_namespace_is_applied(call: Call, phones: str) -> None:
    page = append(call, phones, "uppercase :phone", "hide-digits :phone 1", "rename :phone :p")["page"]
    assert page["rows"] == [["### #2"], ["### 7"]]
    (rejected,) = page["rejected"]
    assert (rejected["line"], rejected["directive"]) == (2, "hide-digits")
    assert (rejected["reason"], rejected["row"]) == ("NONE has no digit", {"phone": "NONE"})
    assert call("GET", f"{phones}/columns")["columns"][0]["name"] == "p"
    assert append(call, phones, "rogue twice")["page"]["rowCount"] == 4
    assert append(call, phones, "rogue none")["page"]["rowCount"] == 0


def test_directives_of_the_namespace_are_completed(call: Call, phones: str) -> None:
    (found,) = call("GET", "directives", prefix="hide")["directives"]
    assert found == {
        "name": "hide-digits",
        "usage": "hide-digits :column [kept]",
        "description": "Replaces the digits of a text, but for the last ones.",
        "artifact": "shop-directives 1.0",
    }
    assert call("GET", "directives", prefix="hide", context="ops") == {"directives": []}
    names = [directive["name"] for directive in call("GET", "directives")["directives"]]
    assert names == sorted(names)
    assert {"trim", "hide-digits", "rogue"} <= {*names}


def test_other_namespaces_do_not_have_them(call: Call, phones: str) -> None:
    other = call("POST", "workspaces", {"name": "Phones", "rows": PHONES}, context="ops")["id"]
    body = {"directives": ["hide-digits :phone"]}
    with pytest.raises(BadRequest, match="line 1, column 1: unknown directive hide-digits"):
        call("POST", f"workspaces/{other}/directives", body, context="ops")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("hide-digits", "line 2, column 12: column is missing (usage: hide-digits :column [kept])"),
        ("hide-digits :phone 10", "line 2, column 20: kept must be at most 9"),
        ("hide-digits :phone x", "line 2, column 20: kept must be a whole number"),
        ("hide-digits :fax", "line 2, column 1: unknown column fax; available: phone"),
        ("rogue well", "line 2, column 7: how must be one of prepare, hang"),
        ("rogue prepare", "line 2, column 1: rogue: it raised ArgumentError: CANARY"),
    ],
)
def test_arguments_are_checked_with_a_pointer(call: Call, phones: str, line: str, reason: str) -> None:
    append(call, phones, "uppercase :phone")
    with pytest.raises(BadRequest) as refused:
        append(call, phones, "", line)
    assert refused.value.detail.startswith(reason)
    assert [problem.pointer for problem in refused.value.problems] == ["/directives/1"]
    with pytest.raises(BadRequest) as refused:
        call("PUT", f"{phones}/directives", {"directives": ["trim :phone", line]})
    assert [problem.pointer for problem in refused.value.problems] == ["/directives/1"]


def test_failures_concern_only_their_call(call: Call, phones: str, monkeypatch: pytest.MonkeyPatch) -> None:
    append(call, phones, "hide-digits :phone")
    for how, reason in (
        ("exit", "rogue: its process ended without an answer"),
        ("flood", "rogue: it returned more than 16,777,216 bytes"),
    ):
        with pytest.raises(BadRequest, match=f"line 2, column 1: {reason}"):
            append(call, phones, f"rogue {how}")
    # An exception of a row, also MemoryError, rejects the row.
    assert append(call, phones, "rogue allocate")["page"]["rejectedCount"] == 3
    call("POST", f"{phones}/undo")
    rejected = append(call, phones, "rogue rubbish")["page"]["rejected"]
    assert rejected[1]["reason"] == "change_row returned int, and not rows"
    call("POST", f"{phones}/undo")
    assert call("GET", f"{phones}/rows")["rows"] == [["### ##"], ["### #"]]
    monkeypatch.setattr(namespace_directives, "_BATCH_S", 2.0)
    with pytest.raises(BadRequest, match="rogue: it did not answer within the time limit, and was stopped"):
        call("PUT", f"{phones}/directives", {"directives": ["rogue hang"]})


def test_one_process_runs_all_directives_of_a_recipe(call: Call, catalog: Catalog) -> None:
    catalog.artifacts.upload(KEY, DIRECTIVES.encode(), ADA)
    catalog.artifacts.upload(ArtifactKey("sales", "other", "1.0"), DIRECTIVES.encode(), ADA)
    rows = [{"number": number} for number in range(1_200)]
    workspace = f"workspaces/{call('POST', 'workspaces', {'name': 'Many', 'rows': rows})['id']}"
    lines = ["shop-directives/rogue process", "rename :process :first", "other/rogue process", "keep :first, :process"]
    page = append(call, workspace, *lines, "dedupe")["page"]
    ((first, second),) = page["rows"]
    assert first == second
    # Two artifacts have the directive.
    with pytest.raises(BadRequest, match="several artifacts have the directive rogue: write other/rogue or shop"):
        append(call, workspace, "rogue none")
    names = [directive["name"] for directive in call("GET", "directives", prefix="other/")["directives"]]
    assert names == ["other/hide-digits", "other/rogue"]


def test_newest_version_is_applied(call: Call, phones: str, catalog: Catalog) -> None:
    append(call, phones, "hide-digits :phone")
    source = DIRECTIVES.replace('"#"', '"?"').encode()
    catalog.artifacts.upload(ArtifactKey("sales", "shop-directives", "1.1"), source, ADA)
    assert call("GET", f"{phones}/rows")["rows"] == [["??? ??"], ["??? ?"]]
    for version in ("1.0", "1.1"):
        catalog.artifacts.delete(ArtifactKey("sales", "shop-directives", version), ADA)
    with pytest.raises(BadRequest, match="unknown directive hide-digits"):
        call("GET", f"{phones}/rows")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('name = "rogue"', 'name = "trim"', "the directive trim is built in: choose another name"),
        ('required = ("how",)', 'required = ("how", "why")', "why is required, but not one of the properties"),
        ('required = ("column",)', 'required = ("kept",)', "kept must come before the optional column"),
        ('"maximum": 9', '"multipleOf": 9', "kept has the keyword multipleOf"),
        ('"type": "integer"', '"type": "object"', "kept must have the type string"),
        ('name = "rogue"', 'name = "rogue"\n    type = "tool"', "and no others, have the base class DirectivePlugin"),
    ],
)
def test_directives_that_recipes_cannot_use_are_refused(catalog: Catalog, old: str, new: str, reason: str) -> None:
    assert DIRECTIVES.count(old) == 1
    with pytest.raises(InvalidInstance) as refused:
        catalog.artifacts.upload(KEY, DIRECTIVES.replace(old, new).encode(), ADA)
    assert reason in refused.value.problems[0].message


def test_pipeline_and_cell_have_the_version_of_the_sample(call: Call, files: str, catalog: Catalog) -> None:
    catalog.artifacts.upload(KEY, DIRECTIVES.encode(), ADA)
    created = call("POST", "workspaces", {"name": "Orders", "connection": files, "path": "shop/orders.csv"})
    workspace = f"workspaces/{created['id']}"
    append(call, workspace, "trim :day", "hide-digits :day")
    document = call("GET", f"{workspace}/pipeline", sink="/data/out")
    artifacts = [*catalog.artifacts.iterate_artifacts("sales", ADA)]
    plugins = add_declared_plugins(load_plugins(), artifacts, document)
    prepared = check_and_prepare_pipeline("orders", document, plugins)
    assert prepared.plugins["wrangle"].settings["directives"] == ["shop-directives/1.0/hide-digits"]
    with pytest.raises(InvalidInstance) as refused:
        check_and_prepare_pipeline("orders", document, load_plugins())
    assert refused.value.problems[0].pointer == "/metadata/stages/1/properties/directives/0"
    for library in ("pandas", "pyspark"):
        source = call("GET", f"{workspace}/cell", library=library)["source"]
        compile(source, "cell", "exec")
        assert "metadata.load_directives('sales', 'shop-directives/1.0/hide-digits')" in source
        assert '"\\n".join(recipe), columns, directives=directives)' in source
    call("PUT", f"{workspace}/directives", {"directives": ["trim :day"]})
    assert "directives" not in call("GET", f"{workspace}/cell")["source"]
