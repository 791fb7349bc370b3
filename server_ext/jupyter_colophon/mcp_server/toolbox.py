"""The tools that one caller may use: their list, and calls of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.client.caller import Caller, Document
from jupyter_colophon.core.documents.json_values import is_larger_as_json, measure_json_bytes
from jupyter_colophon.core.errors import AccessDenied, NotFound, TooLarge
from jupyter_colophon.mcp_server.arguments import build_operation_parameters, require_valid_arguments
from jupyter_colophon.mcp_server.operation_calls import call_operation
from jupyter_colophon.mcp_server.tool import Tool
from jupyter_colophon.mcp_server.tools import TOOLS

#: A tool answers no more: its reader is a language model.
ANSWER_BYTES_MAX: Final = 512 * 1024


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The answer of a tool: a document, and sentences about omitted data."""

    document: Document
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools of one caller. `read_only` is the reason why it may not write; empty if it may."""

    caller: Caller
    read_only: str = ""

    def list_tools(self) -> list[Tool]:
        """Return the tools that the caller may use."""
        return [tool for tool in TOOLS if not (tool.writes and self.read_only)]

    def call_tool(self, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Call a tool. Raises MetadataError, ClientError."""
        tool = find_tool(name)
        if tool.writes and self.read_only:
            raise AccessDenied("use", f"{name}: {self.read_only}")
        require_valid_arguments(tool, arguments)
        if tool.run is None:
            document = call_operation(self.caller, tool.operation, build_operation_parameters(tool, arguments))
        else:
            document = tool.run(self.caller, arguments)
        require_document_within_limit(document)
        return ToolAnswer(document, tuple(_list_omission_notes(document)))

    def read_entity(self, urn: str) -> Document:
        """Return an entity with its aspects. Raises MetadataError, ClientError."""
        document = call_operation(self.caller, "readEntity", {"urn": urn})
        require_document_within_limit(document)
        return document

    def list_entities(self, cursor: str) -> Document:
        """Return a page of entities. Raises MetadataError, ClientError."""
        return call_operation(self.caller, "listEntities", {"cursor": cursor} if cursor else {})


def find_tool(name: str) -> Tool:
    """Return the tool with this name. Raises NotFound."""
    matching_tool = next((tool for tool in TOOLS if tool.name == name), None)
    if matching_tool is None:
        raise NotFound("tool", name, f"the tools are {', '.join(tool.name for tool in TOOLS)}")
    return matching_tool


def require_document_within_limit(document: Document) -> None:
    """Raise TooLarge for a document that is too long for a language model."""
    if not is_larger_as_json(document, ANSWER_BYTES_MAX):
        return
    largest = sorted(
        document.get("aspects", {}), key=lambda name: measure_json_bytes(document["aspects"][name]), reverse=True
    )
    how = (
        f"name some of its aspects ({', '.join(largest[:20])})" if largest else "ask for less, or with a smaller limit"
    )
    raise TooLarge(f"the answer would have more than {ANSWER_BYTES_MAX} bytes: {how}")


def _list_omission_notes(document: Document) -> Iterator[str]:
    """Yield sentences about omitted data, and how to read them."""
    if isinstance(cursor := document.get("cursor"), str):
        yield f"There is more: call the tool again with the same arguments and cursor {cursor!r}."
    if document.get("truncated"):
        yield "The answer is truncated: ask for fewer levels, a shorter time or a larger limit."
    if document.get("isLowerBound"):
        yield "The total is a lower bound: there are more matches than were counted."
