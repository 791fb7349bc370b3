"""Change the recipe of a workspace, and apply it to the sample."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from jupyter_colophon.apps import AppTables, BadRequest, NotFound, Problem, ServiceContext, ServiceRequest
from jupyter_colophon.apps.dataprep.namespace_directives import DirectiveCalls, find_used_directives
from jupyter_colophon.apps.dataprep.workspaces import describe_workspace, read_sample_of_workspace, read_workspace
from jupyter_colophon.apps.shipped.bodies import get_query_number, parse_body
from jupyter_colophon.wrangling.recipe import LINES_MAX
from jupyter_colophon.wrangling.tokens import split_lines
from jupyter_colophon.wrangling.worker_process import TaskFailed, run_in_process

#: How many changes can be undone.
UNDO_MAX: Final = 100
_ROWS_DEFAULT, _ROWS_MAX, _OFFSET_MAX = 50, 500, 1_000_000


def read_rows(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return a page of the rows that the recipe makes of the sample. Raises NotFound, BadRequest."""
    _, recipe = read_workspace(context, request.path["workspace"])
    return run_recipe(
        context,
        request.path["workspace"],
        recipe,
        kind="rows",
        offset=get_query_number(request, "offset", 0, _OFFSET_MAX),
        limit=get_query_number(request, "limit", _ROWS_DEFAULT, _ROWS_MAX, 1),
    )


def append_directives(context: ServiceContext, request: ServiceRequest) -> Any:
    """Append directives to the recipe, if it can be applied then. Raises NotFound, BadRequest."""
    return _change_recipe(context, request, is_appended=True)


def replace_directives(context: ServiceContext, request: ServiceRequest) -> Any:
    """Replace the recipe, if the new one can be applied. Raises NotFound, BadRequest."""
    return _change_recipe(context, request, is_appended=False)


def undo_change(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return to the recipe before the last change. Raises NotFound, BadRequest."""
    return _move(context, request.path["workspace"], -1, "nothing to undo")


def redo_change(context: ServiceContext, request: ServiceRequest) -> Any:
    """Repeat the change that was undone last. Raises NotFound, BadRequest."""
    return _move(context, request.path["workspace"], 1, "nothing to redo")


def run_recipe(context: ServiceContext, workspace: str, recipe: str, **task: Any) -> dict[str, Any]:
    """Apply a recipe to the sample in a process of its own, and return what the task asks for. Raises NotFound, BadRequest."""
    try:
        return _run_task(context, workspace, recipe, task)
    except TaskFailed as error:
        raise BadRequest(str(error)) from None


def _run_task(context: ServiceContext, workspace: str, recipe: str, task: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a task asks for. Raises NotFound, TaskFailed."""
    sample = read_sample_of_workspace(context, workspace)
    used = find_used_directives(context, recipe)
    whole = {
        **task,
        "recipe": recipe,
        "columns": sample.columns,
        "rows": sample.rows,
        "directives": [directive.describe_for_worker() for directive in used],
    }
    return run_in_process(whole, answer=DirectiveCalls(context).answer)


def _change_recipe(context: ServiceContext, request: ServiceRequest, *, is_appended: bool) -> Any:
    workspace, lines = request.path["workspace"], _read_lines(request)
    row, recipe = read_workspace(context, workspace)
    kept = split_lines(recipe) if is_appended else []
    changed = "\n".join([*kept, *lines.values()])
    try:
        page = _run_task(context, workspace, changed, {"kind": "rows", "offset": 0, "limit": _ROWS_DEFAULT})
    except TaskFailed as error:
        raise BadRequest(str(error), _find_problems(error, len(kept), [*lines])) from None
    _store_recipe(context, workspace, changed, (row["current"], row["newest"]))
    row, recipe = read_workspace(context, workspace)
    return {**describe_workspace(row, recipe), "page": page}


def _find_problems(error: TaskFailed, kept: int, indices: Sequence[int]) -> tuple[Problem, ...]:
    """Return a pointer to the line of the request that is wrong, if it is one of the request."""
    if error.line is None or not 0 < error.line - kept <= len(indices):
        return ()
    return (Problem(f"/directives/{indices[error.line - kept - 1]}", str(error)),)


def _read_lines(request: ServiceRequest) -> dict[int, str]:
    """Return the directives by their indices in the request. Raises BadRequest."""
    document = parse_body(request, "directives").document.get("directives")
    if (
        not isinstance(document, list)
        or len(document) > LINES_MAX
        or not all(isinstance(line, str) for line in document)
    ):
        raise BadRequest(f"the member directives must be a list of at most {LINES_MAX} texts")
    if any(len(split_lines(line)) > 1 for line in document):
        raise BadRequest("a directive must be one line: write line breaks as \\n")
    return {index: line.strip() for index, line in enumerate(document) if line.strip()}


def _store_recipe(context: ServiceContext, workspace: str, recipe: str, expected: tuple[int, int]) -> None:
    """Store a recipe after the current one, in place of those that were undone."""
    key = (context.namespace, workspace)

    def write(tables: AppTables) -> None:
        row = tables.get_table("workspaces").read(key)
        if row is None:
            raise NotFound("workspace", workspace)
        if (row["current"], row["newest"]) != expected:
            raise BadRequest("the recipe was changed in the meantime: read it, and try again")
        number = row["current"] + 1
        oldest = max(row["oldest"], number - UNDO_MAX)
        stored = tables.get_table("recipes")
        stored.delete_many([(*key, other) for other in range(number, row["newest"] + 1)])
        stored.delete_many([(*key, other) for other in range(row["oldest"], oldest)])
        stored.upsert({"context": key[0], "workspace": workspace, "number": number, "recipe": recipe})
        _set_numbers(tables, context, workspace, current=number, newest=number, oldest=oldest)

    context.execute(write)


def _move(context: ServiceContext, workspace: str, step: int, refusal: str) -> Any:
    key = (context.namespace, workspace)

    def write(tables: AppTables) -> None:
        row = tables.get_table("workspaces").read(key)
        if row is None:
            raise NotFound("workspace", workspace)
        number = row["current"] + step
        if not row["oldest"] <= number <= row["newest"]:
            raise BadRequest(f"there is {refusal}")
        _set_numbers(tables, context, workspace, current=number)

    context.execute(write)
    return describe_workspace(*read_workspace(context, workspace))


def _set_numbers(tables: AppTables, context: ServiceContext, workspace: str, **numbers: int) -> None:
    tables.get_table("workspaces").update(
        {
            "context": context.namespace,
            "id": workspace,
            "updated_by": context.principal.user,
            "updated_ms": time.time_ns() // 1_000_000,
            **numbers,
        }
    )
