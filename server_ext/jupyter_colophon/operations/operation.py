"""An operation: a plain function, declared once with its parameters, answers and errors.

HTTP routing and validation use the declaration; the documents of the API, the clients, the command line and the
reference pages are generated from it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import cleandoc
from types import ModuleType
from typing import Any, Literal

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import InvalidQuery, MalformedBody, MetadataError, quote_and_truncate_text
from jupyter_colophon.operations.parameter import Parameter
from jupyter_colophon.operations.request import OperationRequest
from jupyter_colophon.operations.request_schemas import SchemaOrName
from jupyter_colophon.operations.services import ProcessServices

Function = Callable[[ProcessServices, OperationRequest], Any]
#: Actions for Jupyter's authorizer.
Permission = Literal["read", "write", "execute"]
#: What decides on access, besides Jupyter's authorizer (docs/explanation/security-model.md): `entities`, each entity
#: that a request names or an answer contains; `instances`, each instance of a schemaspace; `admin`, the caller must be
#: an admin; `sender`, only what the caller has sent or started; `public`, no content of the catalog is read or changed.
DecidedBy = Literal["entities", "instances", "admin", "sender", "public"]
JSON = "application/json"
#: The content type of files, whose answers have that of the file.
ANY_TYPE = "*/*"
#: The paths of operations that show the state of a server.
_STATE_PATHS = frozenset({"/health", "/metrics"})
#: Content types of requests whose client did not choose one: curl and forms send the second.
_DEFAULT_CONTENT_TYPES = ("", "application/x-www-form-urlencoded")
#: The parameters of operations that page, search or traverse.
_SCANNING = frozenset({"count", "cursor", "depth", "levels", "limit", "offset", "q", "query", "scrollId", "start"})


@dataclass(frozen=True, slots=True)
class OperationLink:
    """A possible next call: an operation, and its parameters taken from the answer with this status (Link Object)."""

    operation: str
    parameters: Mapping[str, str]
    status: int = 200


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """One method of one path. The errors that every operation may raise (not signed in, store unavailable …) are not repeated."""

    id: str
    #: The method, and the path below the API's prefix with `{parameters}`: `GET /entities/{urn}`.
    route: str
    summary: str
    #: Returns a document, or a Result.
    function: Function
    #: Unless it is declared, a GET reads, and everything else writes.
    permission: Permission
    decided_by: DecidedBy
    #: Status to document.
    answers: Mapping[int, SchemaOrName]
    parameters: tuple[Parameter[Any], ...]
    #: Documents by content type; empty if there is no body.
    body: Mapping[str, SchemaOrName]
    errors: tuple[type[MetadataError], ...]
    #: Whether answers have the version as their ETag; `usually`: unless there is no version.
    etag: bool | Literal["usually"]
    links: tuple[OperationLink, ...]
    #: The content type of the answer; empty for the default of the API.
    content_type: str
    #: Whether the function is given the body's bytes.
    raw_body: bool
    #: Statuses of errors that differ from the API's.
    statuses: Mapping[type[MetadataError], int]
    #: Raises AccessDenied before the body is read, for rules unknown to Jupyter's authorizer.
    access: Callable[[ProcessServices, Principal], None] | None
    #: The schemaspace whose threads run it, since it may call code of packages: a name, or `{space}` for that in the path.
    schemaspace: str
    #: Whether a body must be sent; without it, `request.body` is None.
    body_required: bool
    #: The operations that share the path and the method, by the value of the query parameter `action`.
    actions: Mapping[str, "Operation"] = field(default_factory=dict)

    @property
    def method(self) -> str:
        """The HTTP method."""
        return self.route.partition(" ")[0]

    @property
    def path(self) -> str:
        """The path below the API's prefix, with `{parameters}`."""
        return self.route.partition(" ")[2]

    @property
    def is_essential(self) -> bool:
        """Whether an overloaded server answers it too: it shows the state of the server."""
        return self.path in _STATE_PATHS

    @property
    def returns_web_files(self) -> bool:
        """Whether the answer is a file that a page imports, which sends no headers of the page."""
        return self.content_type == ANY_TYPE

    @property
    def is_read_only(self) -> bool:
        """Whether it changes nothing, in whatever method."""
        return self.permission == "read"

    @property
    def may_read_many_entities(self) -> bool:
        """Whether it may read many entities: it pages, searches, traverses, or is a read with a body."""
        return (self.is_read_only and self.method != "GET") or any(
            parameter.name in _SCANNING for parameter in self.parameters
        )

    def choose_action(self, query: Mapping[str, Sequence[str]]) -> "Operation":
        """Return the action that a query names. Raises InvalidQuery."""
        names = query.get("action", ())
        if len(names) > 1:
            raise InvalidQuery("parameter 'action' is given more than once")
        chosen = self.actions.get(names[0]) if names else None
        if chosen is None:
            raise InvalidQuery(f"must be one of {', '.join(self.actions)}", "action")
        return chosen

    def choose_body_schema(self, content_type: str) -> SchemaOrName:
        """Return the shape of a body of this media type; if the operation has only one, that one. Raises MalformedBody."""
        if len(self.body) == 1:
            (only,) = self.body.values()
            return only
        kind = JSON if content_type in _DEFAULT_CONTENT_TYPES else content_type
        if kind not in self.body:
            raise MalformedBody(
                f"Content-Type {quote_and_truncate_text(kind)} is not supported: use one of {', '.join(self.body)}"
            )
        return self.body[kind]


def declare_operation(
    name: str,
    route: str,
    *,
    decided_by: DecidedBy,
    answers: str | Mapping[int, SchemaOrName],
    parameters: Iterable[Parameter[Any]] = (),
    body: str | Mapping[str, SchemaOrName] | None = None,
    errors: Iterable[type[MetadataError]] = (),
    permission: Permission | None = None,
    etag: bool | Literal["usually"] = False,
    links: Iterable[OperationLink] = (),
    content_type: str = "",
    raw_body: bool = False,
    statuses: Mapping[type[MetadataError], int] | None = None,
    access: Callable[[ProcessServices, Principal], None] | None = None,
    schemaspace: str = "",
    body_required: bool = True,
) -> Callable[[Function], Operation]:
    """Declare a function at a route such as `GET /entities/{urn}`; the first line of its docstring is the summary."""

    def declare(function: Function) -> Operation:
        return Operation(
            id=name,
            route=route,
            summary=cleandoc(function.__doc__ or "").partition("\n")[0].rstrip("."),
            function=function,
            decided_by=decided_by,
            permission=permission or ("read" if route.startswith("GET ") else "write"),
            answers={200: answers} if isinstance(answers, str) else answers,
            parameters=tuple(parameters),
            body={JSON: body} if isinstance(body, str) else body or {},
            errors=tuple(errors),
            etag=etag,
            links=tuple(links),
            content_type=content_type,
            raw_body=raw_body,
            statuses=statuses or {},
            access=access,
            schemaspace=schemaspace,
            body_required=body_required,
        )

    return declare


def list_operations(*modules: ModuleType) -> tuple[Operation, ...]:
    """Return the operations that modules declare, in the order of their definition."""
    return tuple(item for module in modules for item in vars(module).values() if isinstance(item, Operation))
