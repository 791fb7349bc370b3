"""Write the rows of a report as CSV."""

import csv
import io
from collections.abc import Mapping
from typing import Any, Final

#: A text that begins so could be a formula in a spreadsheet.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")


def build_csv(result: Mapping[str, Any]) -> str:
    """Return a header and the rows. A text that a spreadsheet would take for a formula begins with an apostrophe."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(result["columns"])
    for row in result["rows"]:
        writer.writerow([_escape_formula(row[name]) for name in result["columns"]])
    return text.getvalue()


def _escape_formula(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
