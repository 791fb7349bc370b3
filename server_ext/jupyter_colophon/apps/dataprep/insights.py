"""What helps to write a recipe: profiles, suggestions, completion, and directives by example."""

from typing import Any, Final

from jupyter_colophon.apps import BadRequest, NotFound, ServiceContext, ServiceRequest
from jupyter_colophon.apps.dataprep.namespace_directives import complete_namespace_directives
from jupyter_colophon.apps.dataprep.recipes import run_recipe
from jupyter_colophon.apps.dataprep.workspaces import read_workspace
from jupyter_colophon.apps.shipped.bodies import Body, get_query_text, parse_body
from jupyter_colophon.wrangling.by_example import InputOutput, find_directives_by_example
from jupyter_colophon.wrangling.suggestions import complete_directives

_EXAMPLES_MAX, _PARTS_MAX, _TEXT_MAX = 20, 50, 500
_PREFIX_MAX: Final = 100


def list_directives(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return the directives, built-in ones and those of the namespace, whose names begin with the query parameter `prefix`."""
    prefix = get_query_text(request, "prefix")[:_PREFIX_MAX].strip().lower()
    found = [*complete_directives(prefix), *complete_namespace_directives(context, prefix)]
    return {"directives": sorted(found, key=lambda directive: directive["name"])}


def profile_workspace(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return the profiles of the columns after the recipe. Raises NotFound, BadRequest."""
    workspace = request.path["workspace"]
    _, recipe = read_workspace(context, workspace)
    return run_recipe(context, workspace, recipe, kind="profile")


def suggest_for_column(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return directives that fit the values of a column. Raises NotFound, BadRequest."""
    workspace, column = request.path["workspace"], request.path["column"]
    _, recipe = read_workspace(context, workspace)
    result = run_recipe(context, workspace, recipe, kind="suggest", column=column)
    if result["suggestions"] is None:
        raise NotFound("column", column)
    return result


def find_by_example(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return recipes that turn each input into its output. Raises NotFound, BadRequest."""
    read_workspace(context, request.path["workspace"])
    documents = parse_body(request, "examples").get_list("examples", _EXAMPLES_MAX)
    examples = [_parse_example(document) for document in documents]
    if len({isinstance(example.output, str) for example in examples}) > 1:
        raise BadRequest("the outputs must be all texts, or all lists of texts")
    return {"recipes": find_directives_by_example(request.path["column"], examples)}


def _parse_example(document: Any) -> InputOutput:
    body = Body(document, ("input", "output"))
    text, output = body.get_text("input", longest=_TEXT_MAX), body.document.get("output")
    if not isinstance(output, list):
        return InputOutput(text, body.get_text("output", longest=_TEXT_MAX))
    parts = body.get_list("output", _PARTS_MAX)
    if not all(isinstance(part, str) and len(part) <= _TEXT_MAX for part in parts):
        raise BadRequest(f"the parts of an output must be texts of at most {_TEXT_MAX} characters")
    return InputOutput(text, tuple(parts))
