"""The arguments of tools: their JSON Schema, and the parameters of an operation that they map to."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from jupyter_colophon.core.documents.json_schema import Schema
from jupyter_colophon.core.errors import InvalidQuery, quote_and_truncate_text
from jupyter_colophon.core.similar_names import find_similar_name
from jupyter_colophon.mcp_server.operation_calls import find_operation
from jupyter_colophon.mcp_server.tool import Argument, Tool
from jupyter_colophon.operations.native.api import NATIVE
from jupyter_colophon.operations.parameter import Parameter

#: The beginning of formats of texts that clients do not know.
_OWN_FORMATS: Final = "colophon-"


@cache
def build_input_schema(tool: Tool) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments."""
    return {
        "type": "object",
        "properties": {argument.name: _build_argument_schema(tool, argument) for argument in tool.arguments},
        "required": [argument.name for argument in tool.arguments if argument.required],
        "additionalProperties": False,
    }


def require_valid_arguments(tool: Tool, arguments: Mapping[str, Any]) -> None:
    """Raise InvalidQuery with a sentence for each argument that is wrong."""
    names = [argument.name for argument in tool.arguments]
    sentences = [_format_unknown_argument(name, names) for name in arguments if name not in names]
    sentences += [
        f"missing argument {name!r}" for name in build_input_schema(tool)["required"] if name not in arguments
    ]
    if not sentences:
        problems = _compile_schema(tool).find_all_problems(dict(arguments))
        sentences = [f"{problem.pointer.removeprefix('/')}: {problem.message}" for problem in problems]
    if sentences:
        raise InvalidQuery(f"{'; '.join(sentences[:10])} (arguments of {tool.name}: {', '.join(names)})")


def _format_unknown_argument(name: str, known_names: list[str]) -> str:
    similar = find_similar_name(name, known_names)
    return f"unknown argument {quote_and_truncate_text(name)}" + (
        "" if similar is None else f" (did you mean {similar!r}?)"
    )


def build_operation_parameters(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the tool's operation."""
    parameters = dict(tool.constants)
    for argument in tool.arguments:
        value = arguments.get(argument.name, argument.default)
        if value is not None:
            parameters[argument.parameter or argument.name] = value
    return parameters


@cache
def _compile_schema(tool: Tool) -> Schema:
    return Schema(build_input_schema(tool))


def _build_argument_schema(tool: Tool, argument: Argument) -> dict[str, Any]:
    """Return the schema of one argument: the tool's own, or that of the parameter with the tool's changes."""
    if argument.schema is not None:
        return {"description": argument.description, **argument.schema}
    parameter = _find_parameter(tool, argument.parameter or argument.name)
    schema = {"description": argument.description or parameter.description, **parameter.schema}
    if str(schema.get("format", "")).startswith(_OWN_FORMATS):
        del schema["format"]
    if argument.default is not None:
        schema["default"] = argument.default
    if argument.maximum is not None:
        schema["maximum"] = argument.maximum
    return schema


def _find_parameter(tool: Tool, name: str) -> Parameter[Any]:
    operation = find_operation(tool.operation)
    in_path = NATIVE.path_parameters.get(name, ()) if f"{{{name}}}" in operation.path else ()
    return next(item for item in (*operation.parameters, *in_path) if item.name == name)
