"""`metadata.pipeline(…)`, which `%metadata pipeline` calls (docs/pipelines.md)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from jupyter_colophon.client.api.answer import Result, table
from jupyter_colophon.client.api.current_connection import api_after_sync
from jupyter_colophon.core.errors import InvalidInstance

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations
    from jupyter_colophon.pipelines.check import Prepared

Verb = Literal["list", "preview", "run", "validate"]
VERBS: tuple[str, ...] = get_args(Verb)
_SPACE, _SCHEMA = "pipelines", "pipeline"
#: So many rows of each stage are in a preview.
_ROWS = 5


def pipeline(verb: Verb, name: str | None = None, arguments: Mapping[str, str] | None = None, **more: str) -> Result:
    """List pipelines, or validate, preview or run one: `pipeline("run", "staff", sink="/data/x")`.

    `name` is that of a pipeline in the catalog, or a JSON file; pass arguments whose names are not Python names as a mapping.
    Uses the active session, or a new one. A failed run returns a result as well: see `status` and `error` of the document.
    Raises ValueError, InvalidInstance for an invalid pipeline (`validate` returns the problems), OSError, ClientError.
    """
    if verb not in VERBS:
        msg = f"{verb!r} is none of {', '.join(VERBS)}"
        raise ValueError(msg)
    catalog = api_after_sync().catalog
    if verb == "list":
        return _listed(catalog)
    if name is None:
        msg = f"which pipeline? {verb} PIPELINE"
        raise ValueError(msg)
    try:
        prepared = _prepared(catalog, name, {**(arguments or {}), **more})
    except InvalidInstance as error:
        if verb == "validate":
            return wrong(name, error)
        for one in error.problems:
            error.add_note(f"{one.pointer}: {one.message}".removeprefix(": "))
        raise
    return {"preview": _preview, "run": _run, "validate": _valid}[verb](prepared)


def wrong(name: str, error: InvalidInstance) -> Result:
    """What is wrong with one."""
    problems = [{"pointer": one.pointer, "message": one.message} for one in error.problems]
    return table("pipeline-wrong", {"name": name, "problems": problems}, "pointer message", problems)


def _listed(catalog: "Operations") -> Result:
    found = [
        one
        for one in catalog.list_instances(_SPACE, sort="name", limit=500)["instances"]
        if one["schema_name"] == _SCHEMA
    ]
    return table("pipelines", {"pipelines": found}, "name display_name description problem", found)


def _prepared(catalog: "Operations", named: str, arguments: Mapping[str, str]) -> "Prepared":
    # Loaded when somebody asks for pipelines: packages register plugins.
    from jupyter_colophon.pipelines.check import check_pipeline
    from jupyter_colophon.pipelines.documents import in_file, read
    from jupyter_colophon.pipelines.plugin_registry import installed_plugins

    if (path := in_file(named)) is not None:
        name, document = read(path)
        return check_pipeline(name, document, installed_plugins(), arguments)
    return check_pipeline(
        named, {"metadata": catalog.read_instance(_SPACE, named)["metadata"]}, installed_plugins(), arguments
    )


def _valid(prepared: "Prepared") -> Result:
    order = [{"stage": one.name} for one in prepared.order]
    document = {"name": prepared.pipeline.name, "order": [one["stage"] for one in order]}
    return table("pipeline-valid", document, "stage", order)


def _preview(prepared: "Prepared") -> Result:
    from jupyter_colophon.pipelines.preview import preview
    from jupyter_colophon.spark.session import present_session
    from jupyter_colophon.spark.silence_pyspark import quiet

    session = present_session()
    with quiet():
        found = preview(prepared, session, shown=_ROWS)
    stages = [
        {
            "stage": one.stage,
            "error": one.error,
            "columns": [{"name": name, "type": type_} for name, type_ in one.columns],
            "rows": [{name: str(row.get(name, "")) for name, _ in one.columns} for row in one.rows],
        }
        for one in found
    ]
    return table("pipeline-preview", {"name": prepared.pipeline.name, "stages": stages}, "stage error rows", stages)


def _run(prepared: "Prepared") -> Result:
    from jupyter_colophon.pipelines.runner import run
    from jupyter_colophon.spark.session import present_session
    from jupyter_colophon.spark.silence_pyspark import quiet

    session = present_session()
    with quiet():
        outcome = run(prepared, session, tell=print)
    stages = [{"stage": one.name, "status": one.status, "rows": one.rows, "ms": one.ms} for one in outcome.stages]
    document: dict[str, Any] = {"name": prepared.pipeline.name, "status": outcome.status, "error": outcome.error}
    document |= {"run": outcome.run, "stages": stages}
    answer = table("pipeline-run", document, "stage status rows ms", stages)
    return replace(answer, failure=f"the run failed: {outcome.error}") if outcome.error else answer
