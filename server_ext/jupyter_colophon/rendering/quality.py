"""Render the results of a check."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.core.display_text import format_count_with_noun
from jupyter_colophon.core.identity.short_names import shorten_urn
from jupyter_colophon.core.quality.results import WARNING
from jupyter_colophon.rendering.elements import TableElement, TextLine, Title
from jupyter_colophon.rendering.page import Page
from jupyter_colophon.rendering.style import NOTEBOOK, Style

_COLUMNS = ("status", "severity", "expectation", "kind", "column", "failing", "rows", "observed", "samples")


def build_check_page(document: Mapping[str, Any], style: Style = NOTEBOOK) -> Page:
    """Return a page with the status of a dataset, and the result of each expectation."""
    name, results = shorten_urn(document["urn"]), document["results"]
    if not results:
        return Page((Title(name, "has no expectations that can be checked"),))
    failed = sum(result["status"] != "passed" for result in results)
    has_warnings = any(result["severity"] == WARNING for result in results)
    columns = tuple(column for column in _COLUMNS if has_warnings or column != "severity")
    title = Title(
        name, f"{document['status']}, {failed} of {format_count_with_noun(len(results), 'expectation')} failed"
    )
    rows = [tuple(result.get(column, "") for column in columns) for result in results]
    reasons = (TextLine(f"{item['expectation']}: {item['message']}") for item in results if item.get("message"))
    return Page((title, TableElement("", columns, rows).drop_empty_columns(), *reasons))
