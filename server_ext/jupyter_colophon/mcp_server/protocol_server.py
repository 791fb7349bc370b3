"""The protocol: a toolbox as a server of the SDK."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Protocol, TypeVar

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from jupyter_colophon.client.caller import Document
from jupyter_colophon.client.problems import ClientError
from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.mcp_server import prompts, resources
from jupyter_colophon.mcp_server.arguments import build_input_schema
from jupyter_colophon.mcp_server.error_text import format_and_log_error
from jupyter_colophon.mcp_server.tool import Tool
from jupyter_colophon.mcp_server.toolbox import Toolbox, find_tool

T = TypeVar("T")
Context = ServerRequestContext[Any]


class Runner(Protocol):
    """Runs synchronous work on the catalog where it may block."""

    def __call__(self, work: Callable[[], T]) -> Awaitable[T]:
        """Return the result of the work."""


def create_server(toolbox: Toolbox, run: Runner) -> Server[Any]:
    """Return a server for the caller of this toolbox."""
    handlers = _Handlers(toolbox, run)
    return Server(
        "jupyter-colophon",
        version=version("jupyter-colophon"),
        title="Jupyter Colophon",
        instructions=prompts.INSTRUCTIONS,
        get_tool_input_schema=lambda name: build_input_schema(find_tool(name)),
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_resource_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )


@dataclass(frozen=True, slots=True)
class _Handlers:
    """The requests of the protocol. An error of a tool is its answer; any other is an error of the protocol."""

    toolbox: Toolbox
    run: Runner

    async def list_tools(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """List the tools that the caller may use."""
        return types.ListToolsResult(tools=[_describe_tool(tool) for tool in self.toolbox.list_tools()])

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Call a tool."""
        try:
            answer = await self.run(lambda: self.toolbox.call_tool(params.name, params.arguments or {}))
        except Exception as error:  # noqa: BLE001  an assistant gets every error as text
            return types.CallToolResult(content=[types.TextContent(text=format_and_log_error(error))], is_error=True)
        texts = [_format_document(answer.document), *answer.notes]
        return types.CallToolResult(
            content=[types.TextContent(text=text) for text in texts], structured_content=answer.document
        )

    async def list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """List a page of entities."""
        cursor = (params.cursor if params is not None else None) or ""
        page = await self._read_and_convert_errors(lambda: self.toolbox.list_entities(cursor))
        listed_resources = [
            types.Resource(
                uri=resources.format_uri(entity["urn"]),
                name=entity["name"],
                description=f"{entity['type']} in the namespace {entity['namespace']}",
                mime_type=resources.MIME_TYPE,
            )
            for entity in page["entities"]
        ]
        return types.ListResourcesResult(resources=listed_resources, next_cursor=page["cursor"])

    async def list_resource_templates(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """List the one form of URIs."""
        template = types.ResourceTemplate(
            uri_template=resources.TEMPLATE,
            name="entity",
            title="Entity of the data catalog",
            description="An entity with its aspects, by its percent-encoded URN.",
            mime_type=resources.MIME_TYPE,
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Read an entity."""
        document = await self._read_and_convert_errors(
            lambda: self.toolbox.read_entity(resources.parse_uri(params.uri))
        )
        contents = types.TextResourceContents(
            uri=params.uri, mime_type=resources.MIME_TYPE, text=_format_document(document)
        )
        return types.ReadResourceResult(contents=[contents])

    async def list_prompts(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        """List the prompts."""
        argument = types.PromptArgument(name=prompts.TABLE, description=prompts.TABLE_DESCRIPTION, required=True)
        prompt = types.Prompt(
            name=prompts.EXPLAIN_ORIGIN, title=prompts.TITLE, description=prompts.DESCRIPTION, arguments=[argument]
        )
        return types.ListPromptsResult(prompts=[prompt])

    async def get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """Return the messages of a prompt."""
        try:
            text = prompts.build_prompt_text(params.name, params.arguments or {})
        except MetadataError as error:
            raise MCPError(types.INVALID_PARAMS, format_and_log_error(error)) from None
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(description=prompts.DESCRIPTION, messages=[message])

    async def _read_and_convert_errors(self, work: Callable[[], Document]) -> Document:
        """Read the catalog. Raises MCPError."""
        try:
            return await self.run(work)
        except Exception as error:  # noqa: BLE001  an assistant gets sentences, and nothing else of the server
            code = types.INVALID_PARAMS if isinstance(error, MetadataError | ClientError) else types.INTERNAL_ERROR
            raise MCPError(code, format_and_log_error(error)) from None


def _describe_tool(tool: Tool) -> types.Tool:
    annotations = types.ToolAnnotations(
        title=tool.title,
        read_only_hint=not tool.writes,
        destructive_hint=tool.replaces,
        idempotent_hint=True,
        open_world_hint=False,
    )
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=build_input_schema(tool),
        annotations=annotations,
    )


def _format_document(document: Document) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))
