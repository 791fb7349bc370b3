"""The application of docs/how-to/write-an-application.md works as the page describes."""

import re
import tomllib
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from jupyter_colophon.apps.system_app import GROUP
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import BadRequest
from support.system_apps import call_app, open_apps

PAGE = Path(__file__).parents[2] / "docs/how-to/write-an-application.md"
EXAMPLE = Path(__file__).parents[2] / "examples/shop-bookmarks/shop_bookmarks"
PATH = "/v1/contexts/sales/bookmarks"


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


def test_panel_of_the_page_is_that_of_the_example() -> None:
    """The browser tests open the example."""
    (module,) = re.findall(r"^```js\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert module == (EXAMPLE / "web/panel.js").read_text()
    (declaration,) = re.findall(r"^configurer\.add_panel\(.*\)$", PAGE.read_text(), re.MULTILINE)
    assert (EXAMPLE / "__init__.py").read_text().endswith(f"        {declaration}\n")
    # Besides the panel, the example is the application of the page.
    assert read_block("python").strip() in (EXAMPLE / "__init__.py").read_text()
