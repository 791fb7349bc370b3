"""The application of docs/how-to/write-an-application.md works as the page describes."""

import re
import tomllib
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import jupyter_colophon.apps
import pytest
from jupyter_colophon.apps.system_app import GROUP
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import BadRequest
from jupyter_colophon.core.identity.names import make_program_urn
from jupyter_colophon.core.lineage.run import RunStart
from support.catalog import ADA
from support.system_apps import CONTEXTS, call_app, open_apps, prepare_context
from support.waiting import wait_for

PAGE = Path(__file__).parents[2] / "docs/how-to/write-an-application.md"
EXAMPLE = Path(__file__).parents[2] / "examples/shop-bookmarks/shop_bookmarks"
PATH = "/v1/contexts/sales/bookmarks"
#: The application of the section Events, with a method that shows a table.
LISTED = """

class Listed(Failures):
    def configure(self, configurer):
        super().configure(configurer)
        configurer.add_handler("GET", "/alarms", list_alarms)


def list_alarms(context, request):
    return context.execute(lambda tables: list(tables.get_table("alarms").scan(Range())), read_only=True)
"""


def read_block(language: str) -> str:
    """Return the only block of code in a language."""
    (block,) = re.findall(rf"^   ```{language}\n(.*?)^   ```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return dedent(block)


def test_application_of_the_page_works(install: Any, catalog: Catalog) -> None:
    ((name, value),) = tomllib.loads(read_block("toml"))["project"]["entry-points"][GROUP].items()
    install(read_block("python"), name, value.partition(":")[2])
    apps = open_apps(catalog)
    row = {"context": "sales", "name": "docs", "url": "https://docs.example", "created_by": "ada"}
    assert call_app(apps, "PUT", f"{PATH}/docs", {"url": "https://docs.example"}, app=name) == row
    assert call_app(apps, "GET", PATH, app=name) == {"bookmarks": [row]}
    with pytest.raises(BadRequest):
        call_app(apps, "PUT", f"{PATH}/docs", {}, app=name)
    apps.close()


def test_run_of_the_page_is_recorded(install: Any, catalog: Catalog) -> None:
    (section,) = re.findall(r"^## The catalog\n.*?^## ", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    blocks = re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    install(CONTEXTS, "contexts", "Contexts")
    apps = open_apps(catalog)
    context = prepare_context(apps, "sales")
    for block in blocks:
        exec(block, {**vars(jupyter_colophon.apps), "context": replace(context, principal=ADA)})
    program = make_program_urn("sales", "bookmarks", "workers", "check")
    run = catalog.runs.read_run_by_program_and_id(program, "", "2026-11-20", ADA)
    assert (run.status, run.title, run.actor) == ("succeeded", "Check the bookmarks", "ada")
    assert [access.mode for access in run.accesses] == ["write", "read"]
    apps.close()


def test_application_with_an_index_works(install: Any, catalog: Catalog) -> None:
    (source,) = re.findall(r"^## Tables\n.*?^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    install(source, "orders", "Orders")
    apps = open_apps(catalog)
    path = "/v1/contexts/sales/orders"
    assert [call_app(apps, "POST", f"{path}/ada/send", {}, app="orders") for _ in range(2)] == [
        {"sent": True},
        {"sent": False},
    ]
    row = {"context": "sales", "customer": "ada", "number": 1, "state": "sent", "changes": 2}
    assert call_app(apps, "GET", path, query={"state": ["open", "sent"]}, app="orders") == {"orders": [row]}
    assert call_app(apps, "GET", path, query={"state": ["open"]}, app="orders") == {"orders": []}
    apps.close()


def test_panel_of_the_page_is_that_of_the_example() -> None:
    """The browser tests open the example."""
    (module,) = re.findall(r"^```js\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert module == (EXAMPLE / "web/panel.js").read_text()
    (declaration,) = re.findall(r"^configurer\.add_panel\(.*\)$", PAGE.read_text(), re.MULTILINE)
    assert (EXAMPLE / "__init__.py").read_text().endswith(f"        {declaration}\n")
    # Besides the panel, the example is the application of the page.
    assert read_block("python").strip() in (EXAMPLE / "__init__.py").read_text()


def test_listener_and_schedule_of_the_page_work(install: Any, catalog: Catalog) -> None:
    (source,) = re.findall(r"^## Events\n.*?^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    program = make_program_urn("sales", "shop", "jobs", "load")
    for number in range(3):
        catalog.write_path.start_run(RunStart(program, f"r{number}", 1_000, 2_000, "failed"), ADA)
    install(source.replace("0 * * * *", "PT1S") + LISTED, "failures", "Listed")
    apps = open_apps(catalog)

    def list_alarms() -> Any:
        return call_app(apps, "GET", "/alarms", app="failures")

    wait_for(list_alarms, lambda rows: rows == [{"namespace": "sales", "failures": 3}])
    catalog.namespaces.delete_namespace_and_content_in_background("sales", ADA)
    catalog.namespaces.delete_remaining_content_now("sales")
    wait_for(list_alarms, lambda rows: rows == [])
    apps.close()
