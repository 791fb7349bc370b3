"""The process that applies recipes to samples: python -m jupyter_colophon.wrangling.worker, with a task on its standard input.

Regular expressions of users may take a very long time, and cannot be interrupted in the process of a server. Each message
is one line of JSON. For directives of artifacts, the worker asks its parent, which runs their code in yet another process.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from jupyter_colophon.wrangling.column_profiles import profile_columns
from jupyter_colophon.wrangling.declared_directive import DeclaredDirective, declare_directive
from jupyter_colophon.wrangling.directive import Row
from jupyter_colophon.wrangling.errors import RecipeError
from jupyter_colophon.wrangling.normalization import decode_value, format_json_value
from jupyter_colophon.wrangling.recipe import Recipe, RejectedRow, parse_recipe
from jupyter_colophon.wrangling.result_columns import detect_columns
from jupyter_colophon.wrangling.suggestions import suggest_directives

#: Limits of a process: its memory in bytes, and the rows of a result.
_MEMORY_MAX: Final = 2 * 2**30
_ROWS_MAX: Final = 100_000
#: Limits of a page: its size in characters of JSON, the length of a text, and the rejected rows that are shown.
_PAGE_MAX: Final = 1_000_000
_TEXT_MAX: Final = 1_000
_REJECTED_MAX: Final = 20
_REJECTED_TEXT_MAX: Final = 100

#: Sends a question to the parent, and returns its reply.
Ask = Callable[[Mapping[str, Any]], Mapping[str, Any]]


def run_task(task: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Apply a recipe to rows, and return what the task asks for. Raises RecipeError."""
    rejected: list[RejectedRow] = []
    rows: list[Row] = []
    sample = decode_rows(task["columns"], task["rows"])
    recipe = _parse_and_connect_recipe(task, ask)
    for row in recipe.apply(sample, rejected.append):
        if len(rows) == _ROWS_MAX:
            raise RecipeError(1, 1, f"the result has more than {_ROWS_MAX} rows")
        rows.append(row)
    if task["kind"] == "profile":
        return {"columns": profile_columns(rows)}
    if task["kind"] == "suggest":
        column = task["column"]
        is_known = column in detect_columns(rows)
        return {"suggestions": suggest_directives(column, [row.get(column) for row in rows]) if is_known else None}
    return build_page(rows, task["offset"], task["limit"], rejected)


def _parse_and_connect_recipe(task: Mapping[str, Any], ask: Ask) -> Recipe:
    """Return the recipe; the parent processes the rows of directives of artifacts. Raises RecipeError."""
    declared = {document["full_name"]: declare_directive(**document) for document in task.get("directives", ())}
    recipe = parse_recipe(task["recipe"], declared)
    opened: list[dict[str, Any]] = []
    for step in recipe.steps:
        if isinstance(step.directive, DeclaredDirective):
            send_batch = _create_sender(ask, len(opened), step.line, step.directive.name)
            step.directive.connect(send_batch, step.line)
            opened.append({"plugin": step.directive.full_name, "properties": step.directive.get_properties()})
    if opened:
        ask({"open": opened})
    return recipe


def _create_sender(ask: Ask, number: int, line: int, name: str) -> Callable[[list[Row]], Any]:
    def send_batch(rows: list[Row]) -> Any:
        reply = ask({"number": number, "rows": rows})
        if "error" in reply:
            raise RecipeError(line, 1, f"{name}: {reply['error']}")
        return reply["result"]

    return send_batch


def decode_rows(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[Row]:
    """Return rows whose values are encoded, by the names of their columns."""
    return [dict(zip(columns, map(decode_value, row), strict=True)) for row in rows]


def build_page(rows: Sequence[Row], offset: int, limit: int, rejected: Sequence[RejectedRow] = ()) -> dict[str, Any]:
    """Return a page of rows, with their columns, and the first rejected rows."""
    columns = detect_columns(rows)
    page: list[list[Any]] = []
    size = 0
    for row in rows[offset : offset + limit]:
        cells = [_show(row.get(column)) for column in columns]
        size += len(json.dumps(cells))
        if page and size > _PAGE_MAX:
            break
        page.append(cells)
    end = offset + len(page)
    return {
        "columns": [{"name": name, "type": type_} for name, type_ in columns.items()],
        "rows": page,
        "rowCount": len(rows),
        "nextOffset": end if end < len(rows) else None,
        "rejectedCount": len(rejected),
        "rejected": [_describe_rejected_row(row) for row in rejected[:_REJECTED_MAX]],
    }


def _describe_rejected_row(rejected: RejectedRow) -> dict[str, Any]:
    row = {name: _show(value, _REJECTED_TEXT_MAX) for name, value in rejected.row.items()}
    return {"line": rejected.line, "directive": rejected.directive, "reason": rejected.reason[:_TEXT_MAX], "row": row}


def _show(value: Any, longest: int = _TEXT_MAX) -> Any:
    shown = format_json_value(value)
    if isinstance(shown, (list, dict)):
        shown = json.dumps(shown, ensure_ascii=False)
    return f"{shown[:longest]}…" if isinstance(shown, str) and len(shown) > longest else shown


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:
        # Windows has no such limits.
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    # A worker process of the application may have a lower limit, which cannot be raised.
    limit = _MEMORY_MAX if hard == resource.RLIM_INFINITY else min(hard, _MEMORY_MAX)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def main() -> None:
    """Read a task, and write its result or its error."""
    _limit_memory()
    try:
        answer: dict[str, Any] = {"result": run_task(_receive(), _exchange_with_parent)}
    except RecipeError as error:
        answer = {"error": str(error), "line": error.line}
    except (MemoryError, RecursionError) as error:
        answer = {"error": f"the recipe needs too much memory ({type(error).__name__})"}
    except ArithmeticError as error:
        answer = {"error": f"a number of the result is too large ({error})"}
    _send(answer)


def _exchange_with_parent(question: Mapping[str, Any]) -> Mapping[str, Any]:
    _send({"question": question})
    return _receive()


def _receive() -> Mapping[str, Any]:
    message: Mapping[str, Any] = json.loads(sys.stdin.buffer.readline())
    return message


def _send(message: Mapping[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
