"""Workspaces: recipes on a sample, with undo and redo, profiles and suggestions, as a cell and as a pipeline."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.apps.system_apps import SystemApps
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import BadRequest, NotFound
from jupyter_colophon.pipelines.check import check_and_prepare_pipeline
from jupyter_colophon.pipelines.plugin_registry import load_plugins
from support.catalog import ADA

Call = Callable[..., Any]
Shipped = Callable[[list[str]], SystemApps]
RECIPE = ["rename :'unit price' :price", "trim :price", "set-type :price double", "parse-as-date :day 'dd.MM.yyyy'"]


@pytest.fixture
def orders(call: Call, files: str) -> str:
    """The path of a workspace with the orders."""
    created = call("POST", "workspaces", {"name": "Orders", "connection": files, "path": "shop/orders.csv"})
    return f"workspaces/{created['id']}"


def test_application_is_loaded_if_a_setting_names_it(catalog: Catalog, apps: SystemApps, shipped: Shipped) -> None:
    assert [(state.name, state.state, state.problem) for state in apps.list_states()] == [("dataprep", "installed", "")]
    assert shipped([]).list_states() == []


def test_recipe_is_applied_to_the_sample(call: Call, orders: str) -> None:
    changed = call("POST", f"{orders}/directives", {"directives": RECIPE})
    assert changed["directives"] == RECIPE
    page = call("GET", f"{orders}/rows")
    assert page == changed["page"]
    assert page["columns"] == [
        {"name": "id", "type": "string"},
        {"name": "price", "type": "double"},
        {"name": "day", "type": "date"},
    ]
    assert page["rows"] == [["1", 1.5, "2026-11-27"], ["2", None, "2026-11-28"]]
    assert (page["rowCount"], page["nextOffset"], page["rejectedCount"]) == (2, None, 1)
    (rejected,) = page["rejected"]
    assert (rejected["line"], rejected["reason"]) == (3, "'x' is not a valid double")
    second = call("GET", f"{orders}/rows", offset="1", limit="1")
    assert (second["rows"], second["nextOffset"]) == ([["2", None, "2026-11-28"]], None)
    assert call("GET", f"{orders}/rows", limit="1")["nextOffset"] == 1


def test_changes_of_the_recipe_are_undone_and_redone(call: Call, orders: str) -> None:
    for line in RECIPE[:3]:
        call("POST", f"{orders}/directives", {"directives": [line]})
    assert call("POST", f"{orders}/undo")["directives"] == RECIPE[:2]
    undone = call("POST", f"{orders}/undo")
    assert (undone["directives"], undone["canUndo"], undone["canRedo"]) == (RECIPE[:1], True, True)
    assert call("POST", f"{orders}/redo")["directives"] == RECIPE[:2]
    # A new change replaces those that were undone.
    replaced = call("PUT", f"{orders}/directives", {"directives": ["drop :day"]})
    assert (replaced["directives"], replaced["canRedo"]) == (["drop :day"], False)
    with pytest.raises(BadRequest, match="nothing to redo"):
        call("POST", f"{orders}/redo")
    assert [call("POST", f"{orders}/undo")["directives"] for _ in range(3)] == [RECIPE[:2], RECIPE[:1], []]
    with pytest.raises(BadRequest, match="nothing to undo"):
        call("POST", f"{orders}/undo")


@pytest.mark.parametrize(
    ("directives", "reason"),
    [
        (["trim :id", "shout :id"], "line 2, column 1: unknown directive shout"),
        (["trim :no"], "line 1, column 1: unknown column no; available: id, unit price, day"),
        (["trim :id\ntrim :id"], "must be one line"),
        ("trim :id", "must be a list of at most 500 texts"),
    ],
)
def test_invalid_directives_change_nothing(call: Call, orders: str, directives: Any, reason: str) -> None:
    with pytest.raises(BadRequest, match=reason):
        call("POST", f"{orders}/directives", {"directives": directives})
    document = call("GET", orders)
    assert (document["directives"], document["canUndo"]) == ([], False)


def test_workspaces_are_listed_renamed_and_deleted(call: Call, orders: str) -> None:
    given = call("POST", "workspaces", {"name": "Given", "rows": [{"a": 1}, {"b": None}]})
    assert given["source"] == {}
    assert call("PUT", orders, {"name": "Sales"})["name"] == "Sales"
    listed = call("GET", "workspaces")["workspaces"]
    assert {row["name"] for row in listed} == {"Given", "Sales"}
    assert call("GET", orders)["source"]["path"] == "shop/orders.csv"
    # Another namespace has none of them.
    assert call("GET", "workspaces", context="ops") == {"workspaces": []}
    with pytest.raises(NotFound):
        call("GET", orders, context="ops")
    call("DELETE", orders)
    for method, path in (("GET", ""), ("PUT", ""), ("DELETE", ""), ("GET", "/rows"), ("POST", "/undo")):
        with pytest.raises(NotFound, match=r"workspace .* not found"):
            call(method, orders + path, {"name": "x"} if method == "PUT" else None)
    assert [row["name"] for row in call("GET", "workspaces")["workspaces"]] == ["Given"]


def test_workspaces_end_with_their_namespace(call: Call, orders: str, catalog: Catalog) -> None:
    call("POST", "workspaces", {"name": "Kept", "rows": [{"a": 1}]}, context="ops")
    catalog.namespaces.delete_namespace_and_content_in_background("sales", ADA)
    with pytest.raises(NotFound, match="Namespace 'sales' not found"):
        call("GET", orders)
    catalog.namespaces.delete_remaining_content_now("sales")
    catalog.deployer.create_or_update_namespace("sales", {}, ADA)
    assert call("GET", "workspaces") == {"workspaces": []}
    assert call("GET", "connections") == {"connections": []}
    assert [row["name"] for row in call("GET", "workspaces", context="ops")["workspaces"]] == ["Kept"]


def test_columns_are_profiled_and_get_suggestions(call: Call, orders: str) -> None:
    day, price = (
        next(column for column in call("GET", f"{orders}/columns")["columns"] if column["name"] == name)
        for name in ("day", "unit price")
    )
    assert (day["detectedType"], day["distinct"]) == ("date", 3)
    assert (price["empty"], price["nulls"]) == (1, 0)
    suggested = call("GET", f"{orders}/columns/day/suggestions")["suggestions"]
    assert suggested[0]["directive"] == "parse-as-date :day 'dd.MM.yyyy'"
    with pytest.raises(NotFound, match="column 'no' not found"):
        call("GET", f"{orders}/columns/no/suggestions")
    names = [item["name"] for item in call("GET", "directives", prefix="parse-as-d")["directives"]]
    assert names == ["parse-as-date"]


def test_directives_are_found_by_example(call: Call, orders: str) -> None:
    body = {"examples": [{"input": "27.11.2026", "output": "11"}, {"input": "1.2.2026", "output": "2"}]}
    lines = call("POST", f"{orders}/columns/day/examples", body)["recipes"][0]
    page = call("POST", f"{orders}/directives", {"directives": [*lines, "keep :day_1"]})["page"]
    assert page["rows"] == [["11"], ["11"], ["11"]]
    with pytest.raises(BadRequest, match="all texts, or all lists"):
        call(
            "POST", f"{orders}/columns/day/examples", {"examples": [*body["examples"], {"input": "a", "output": ["a"]}]}
        )


def test_cell_of_a_workspace_gives_the_same_rows(call: Call, orders: str) -> None:
    recipe = [*RECIPE[:2], "filter-row-if-matched :price 'x'", *RECIPE[2:]]
    call("PUT", f"{orders}/directives", {"directives": recipe})
    names: dict[str, Any] = {}
    exec(call("GET", f"{orders}/cell", library="pandas")["source"], names)
    data = names["data"]
    assert [*data.columns] == ["id", "price", "day"]
    assert data["price"].tolist()[0] == 1.5
    assert [str(day) for day in data["day"]] == ["2026-11-27", "2026-11-28"]
    compile(call("GET", f"{orders}/cell", library="pyspark")["source"], "cell", "exec")
    with pytest.raises(BadRequest, match="library must be one of"):
        call("GET", f"{orders}/cell", library="polars")
    given = call("POST", "workspaces", {"name": "Given", "rows": [{"a": 1}]})
    with pytest.raises(BadRequest, match="only one with a connection can be published"):
        call("GET", f"workspaces/{given['id']}/cell")


def test_pipeline_of_a_workspace_is_valid(call: Call, orders: str, data: Path) -> None:
    call("PUT", f"{orders}/directives", {"directives": [*RECIPE, "replace-value :id '1' '${x}'"]})
    document = call("GET", f"{orders}/pipeline", sink="/data/out")
    prepared = check_and_prepare_pipeline("orders", document, load_plugins(), {})
    stage = prepared.plugins["wrangle"]
    assert stage.settings["recipe"].splitlines()[-1] == "replace-value :id '1' '${x}'"
    assert prepared.plugins["source"].settings["path"] == str(data / "shop" / "orders.csv")
    with pytest.raises(BadRequest, match="sink is missing"):
        call("GET", f"{orders}/pipeline")


def test_file_with_the_name_of_a_pattern_is_not_published_for_spark(call: Call, data: Path) -> None:
    (data / "a[1].csv").write_text("id\n1\n")
    (data / "a1.csv").write_text("id\n2\n")
    call("PUT", "connections/patterns", {"folder": str(data)})
    made = call("POST", "workspaces", {"name": "A", "connection": "patterns", "path": "a[1].csv"})
    workspace = f"workspaces/{made['id']}"
    assert call("GET", f"{workspace}/rows")["rows"] == [["1"]]
    for place, query in (("pipeline", {"sink": "/data/out"}), ("cell", {"library": "pyspark"})):
        with pytest.raises(BadRequest, match="reads as a pattern: rename the file"):
            call("GET", f"{workspace}/{place}", **query)
    assert "a[1].csv" in call("GET", f"{workspace}/cell", library="pandas")["source"]


def test_rejected_rows_are_left_out_or_written_by_the_pipeline(call: Call, orders: str) -> None:
    def get_pipeline(**query: str) -> Any:
        document = call("GET", f"{orders}/pipeline", sink="/data/out", **query)
        return check_and_prepare_pipeline("orders", document, load_plugins(), {})

    def get_on_rejected(**query: str) -> str:
        return str(get_pipeline(**query).plugins["wrangle"].settings["on_rejected"])

    assert get_on_rejected() == "fail"
    call("PUT", f"{orders}/directives", {"directives": RECIPE})
    # Now the recipe rejects a row of the sample.
    assert get_on_rejected() == "skip"
    assert get_on_rejected(onRejected="fail") == "fail"
    written = get_pipeline(onRejected="write", rejected="/data/rejected")
    assert written.plugins["rejected"].settings["path"] == "/data/rejected"
    assert [stage.name for stage in written.pipeline.list_source_stages(written.pipeline.get_stage("rejected"))] == [
        "source"
    ]
    assert written.plugins["wrangle"].settings["recipe"] == written.plugins["wrangle_rejected"].settings["recipe"]
    for query, reason in (
        ({"onRejected": "write"}, "the query parameter rejected is missing"),
        ({"onRejected": "write", "rejected": "/data/out/"}, "must be different folders"),
        ({"onRejected": "keep"}, "onRejected must be one of fail, skip, write"),
    ):
        with pytest.raises(BadRequest, match=reason):
            call("GET", f"{orders}/pipeline", sink="/data/out", **query)
