"""`metadata.pipeline(…)`, which `%metadata pipeline` calls (docs/pipelines.md)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from jupyter_colophon.client.api.answer import Result, create_table_result
from jupyter_colophon.client.api.current_connection import send_pending_and_get_api
from jupyter_colophon.core.errors import InvalidInstance

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations
    from jupyter_colophon.pipelines.check import PreparedPipeline

Verb = Literal["list", "preview", "run", "validate"]
VERBS: tuple[str, ...] = get_args(Verb)
_SPACE, _SCHEMA = "pipelines", "pipeline"
#: Number of rows of each stage in a preview.
_ROWS = 5


def pipeline(verb: Verb, name: str | None = None, arguments: Mapping[str, str] | None = None, **more: str) -> Result:
    """List pipelines, or validate, preview or run one: `pipeline("run", "staff", sink="/data/x")`.

    `name` is that of a pipeline in the catalog, or a JSON file; pass arguments whose names are not Python names as a mapping.
    Uses the active session, or a new one. A failed run returns a result as well: see `status` and `error` of the document.
    Raises ValueError, InvalidInstance for an invalid pipeline (`validate` returns the problems), OSError, ClientError.
    """
    if verb not in VERBS:
        msg = f"unknown subcommand {verb!r}: use one of {', '.join(VERBS)}"
        raise ValueError(msg)
    catalog = send_pending_and_get_api().catalog
    if verb == "list":
        return _list_pipelines(catalog)
    if name is None:
        msg = f"the name of the pipeline is missing: {verb} PIPELINE"
        raise ValueError(msg)
    try:
        prepared = _read_and_check_pipeline(catalog, name, {**(arguments or {}), **more}, is_run=verb != "validate")
    except InvalidInstance as error:
        if verb == "validate":
            return build_invalid_result(name, error)
        for problem in error.problems:
            error.add_note(f"{problem.pointer}: {problem.message}".removeprefix(": "))
        raise
    return {"preview": _preview_stages, "run": _run_pipeline, "validate": _build_valid_result}[verb](prepared)


def build_invalid_result(name: str, error: InvalidInstance) -> Result:
    """Return the result for an invalid pipeline."""
    problems = [{"pointer": problem.pointer, "message": problem.message} for problem in error.problems]
    return create_table_result("pipeline-wrong", {"name": name, "problems": problems}, "pointer message", problems)


def _list_pipelines(catalog: "Operations") -> Result:
    pipelines = [
        instance
        for instance in catalog.list_instances(_SPACE, sort="name", limit=500)["instances"]
        if instance["schema_name"] == _SCHEMA
    ]
    return create_table_result(
        "pipelines", {"pipelines": pipelines}, "name display_name description problem", pipelines
    )


def _read_and_check_pipeline(
    catalog: "Operations", named: str, arguments: Mapping[str, str], *, is_run: bool
) -> "PreparedPipeline":
    # Load plugins of other packages only when needed.
    from jupyter_colophon.pipelines.artifact_plugins import load_plugins_for_run, load_plugins_with_declared
    from jupyter_colophon.pipelines.check import check_and_prepare_pipeline
    from jupyter_colophon.pipelines.documents import parse_file_path, read_pipeline_file

    if (path := parse_file_path(named)) is not None:
        name, document = read_pipeline_file(path)
    else:
        name, document = named, {"metadata": catalog.read_instance(_SPACE, named)["metadata"]}
    plugins = load_plugins_for_run(catalog, document) if is_run else load_plugins_with_declared(catalog, document)
    return check_and_prepare_pipeline(name, document, plugins, arguments)


def _build_valid_result(prepared: "PreparedPipeline") -> Result:
    order = [{"stage": stage.name} for stage in prepared.order]
    document = {"name": prepared.pipeline.name, "order": [stage["stage"] for stage in order]}
    return create_table_result("pipeline-valid", document, "stage", order)


def _preview_stages(prepared: "PreparedPipeline") -> Result:
    from jupyter_colophon.pipelines.preview import preview_stages
    from jupyter_colophon.spark.session import get_or_start_active_session
    from jupyter_colophon.spark.silence_pyspark import silence_temporarily

    session = get_or_start_active_session()
    with silence_temporarily():
        previews = preview_stages(prepared, session, max_rows=_ROWS)
    stages = [
        {
            "stage": stage_preview.stage,
            "error": stage_preview.error,
            "columns": [{"name": name, "type": type_} for name, type_ in stage_preview.columns],
            "rows": [{name: str(row.get(name, "")) for name, _ in stage_preview.columns} for row in stage_preview.rows],
        }
        for stage_preview in previews
    ]
    return create_table_result(
        "pipeline-preview", {"name": prepared.pipeline.name, "stages": stages}, "stage error rows", stages
    )


def _run_pipeline(prepared: "PreparedPipeline") -> Result:
    from jupyter_colophon.pipelines.runner import run_pipeline
    from jupyter_colophon.spark.session import get_or_start_active_session
    from jupyter_colophon.spark.silence_pyspark import silence_temporarily

    session = get_or_start_active_session()
    with silence_temporarily():
        outcome = run_pipeline(prepared, session, log=print)
    stages = [
        {"stage": stage.name, "status": stage.status, "rows": stage.rows, "ms": stage.ms} for stage in outcome.stages
    ]
    document: dict[str, Any] = {"name": prepared.pipeline.name, "status": outcome.status, "error": outcome.error}
    document |= {"run": outcome.run, "stages": stages}
    answer = create_table_result("pipeline-run", document, "stage status rows ms", stages)
    return replace(answer, failure=f"the run failed: {outcome.error}") if outcome.error else answer
