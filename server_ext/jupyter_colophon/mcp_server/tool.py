"""A tool of the MCP server: its declaration, and the JSON Schema of its arguments.

The schema of an argument that is a parameter of an operation is that parameter's own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jupyter_colophon.client.caller import Caller, Document


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a tool.

    With `schema`, it is the tool's own; else it is the parameter `parameter` of the tool's operation, by default the
    one with the argument's name. `description` and `default` replace those of the parameter.
    """

    name: str
    description: str = ""
    parameter: str = ""
    schema: Mapping[str, Any] | None = None
    required: bool = False
    default: Any = None
    maximum: int | None = None


Run = Callable[[Caller, Mapping[str, Any]], Document]


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """A tool; `operation` is the operation that it calls, or that its `run` calls with a body.

    `replaces`: whether it replaces values written by others.
    """

    name: str
    title: str
    description: str
    operation: str
    arguments: tuple[Argument, ...]
    run: Run | None = None
    writes: bool = False
    replaces: bool = False
    #: Parameters of the operation that are the same in each call.
    constants: Mapping[str, Any] = field(default_factory=dict)
