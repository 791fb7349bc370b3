"""Make a pipeline of a workspace. It is not stored: the client saves it."""

from typing import Any, Final

from jupyter_colophon.apps import BadRequest, ServiceContext, ServiceRequest
from jupyter_colophon.apps.dataprep.published import Published, read_for_publishing
from jupyter_colophon.apps.dataprep.spark_sources import describe_source_stage
from jupyter_colophon.apps.shipped.bodies import get_query_choice, get_query_text

#: What the pipeline does with rows that a directive cannot process.
_FAIL, _SKIP, _WRITE = "fail", "skip", "write"
_ON_REJECTED: Final = (_FAIL, _SKIP, _WRITE)
#: The stages that write the rejected rows.
_REJECTED: Final = "rejected"
_EMPTY_RECIPE: Final = "# The rows are not changed."
Stage = dict[str, Any]


def get_pipeline(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return a pipeline that reads the source, applies the recipe, and writes to the path `sink`.

    `onRejected` is what it does with rejected rows: fail, skip, or write them to the path `rejected`. By default, it skips them
    if the recipe rejects rows of the sample. Raises BadRequest.
    """
    sink = _require_folder(request, "sink", "the folder that the pipeline writes")
    published = read_for_publishing(context, request)
    on_rejected = get_query_choice(request, "onRejected", _ON_REJECTED, _SKIP if published.rejected_count else _FAIL)
    plugin, read, arguments = describe_source_stage(context, request, published.source)
    stages = [
        _build_stage("source", "source", plugin, read),
        _build_wrangle_stage(published, on_rejected),
        _build_sink_stage("sink"),
    ]
    connections = [_connect("source", "wrangle"), _connect("wrangle", "sink")]
    arguments = {**arguments, "sink": sink}
    if on_rejected == _WRITE:
        arguments[_REJECTED] = _require_rejected_folder(request, sink)
        stages += [_build_rejected_stage(published), _build_sink_stage(_REJECTED)]
        connections += [_connect("source", "wrangle_rejected"), _connect("wrangle_rejected", _REJECTED)]
    metadata = {
        "namespace": context.namespace,
        "stages": stages,
        "connections": connections,
        "arguments": arguments,
    }
    return {"display_name": published.name, "schema_name": "pipeline", "metadata": metadata}


def _require_folder(request: ServiceRequest, parameter: str, what: str) -> str:
    folder = get_query_text(request, parameter)
    if not folder.strip():
        raise BadRequest(f"the query parameter {parameter} is missing: {what}")
    return folder


def _require_rejected_folder(request: ServiceRequest, sink: str) -> str:
    folder = _require_folder(request, _REJECTED, "the folder to which the pipeline writes the rejected rows")
    if folder.rstrip("/") == sink.rstrip("/"):
        raise BadRequest("the query parameters sink and rejected must be different folders")
    return folder


def _build_wrangle_stage(published: Published, on_rejected: str) -> Stage:
    properties = {
        **_build_recipe_properties(published),
        "columns": published.columns,
        "on_rejected": _FAIL if on_rejected == _FAIL else _SKIP,
    }
    return _build_stage("wrangle", "transform", "wrangle", properties)


def _build_rejected_stage(published: Published) -> Stage:
    return _build_stage("wrangle_rejected", "transform", "wrangle-rejected", _build_recipe_properties(published))


def _build_sink_stage(name: str) -> Stage:
    """Return a stage that writes to the folder in the argument with its name."""
    return _build_stage(name, "sink", "file", {"path": f"${{{name}}}", "mode": "overwrite"})


def _build_stage(name: str, type_: str, plugin: str, properties: dict[str, Any]) -> Stage:
    return {"name": name, "type": type_, "plugin": plugin, "properties": properties}


def _connect(source: str, target: str) -> dict[str, str]:
    return {"from": source, "to": target}


def _build_recipe_properties(published: Published) -> dict[str, Any]:
    """Return the recipe, which must not be empty and in which `${` begins a macro, and its directives of artifacts."""
    recipe = published.recipe.replace("${", "$${") or _EMPTY_RECIPE
    return {"recipe": recipe, **({"directives": published.directives} if published.directives else {})}
