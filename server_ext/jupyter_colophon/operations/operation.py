"""An operation: a plain function, declared once with its parameters, answers and errors.

From the declaration HTTP routes and checks its requests, and the documents of the API, the clients, the command line
and the reference pages are made.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import cleandoc
from types import ModuleType
from typing import Any, Literal

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import InvalidQuery, MalformedBody, MetadataError, shown
from jupyter_colophon.operations.parameter import Parameter
from jupyter_colophon.operations.request import Request
from jupyter_colophon.operations.request_schemas import Shape
from jupyter_colophon.operations.services import Services

Function = Callable[[Services, Request], Any]
#: What Jupyter's authorizer is asked about.
Permission = Literal["read", "write", "execute"]
JSON = "application/json"
#: Content types of requests whose client did not choose one: curl and forms send the second.
_DEFAULT_CONTENT_TYPES = ("", "application/x-www-form-urlencoded")
#: The parameters of operations that page, search or walk.
_SCANNING = frozenset({"count", "cursor", "depth", "levels", "limit", "offset", "q", "query", "scrollId", "start"})


@dataclass(frozen=True, slots=True)
class Link:
    """What can be called next: an operation, and its parameters from the answer with this status (Link Object)."""

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
    permission: Permission
    #: Status to document.
    answers: Mapping[int, Shape]
    parameters: tuple[Parameter[Any], ...]
    #: Content type to document; empty where there is no body.
    body: Mapping[str, Shape]
    errors: tuple[type[MetadataError], ...]
    #: Whether answers have the version as their ETag; `usually`: not where there is no version.
    etag: bool | Literal["usually"]
    links: tuple[Link, ...]
    #: The content type of the answer; empty for that of the API.
    content_type: str
    #: Whether the function is given the body's bytes.
    raw_body: bool
    #: The status of an error where it is not the API's.
    statuses: Mapping[type[MetadataError], int]
    #: Raises AccessDenied before the body is read, for what the authorizer of the server does not know.
    access: Callable[[Services, Principal], None] | None
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
    def is_read(self) -> bool:
        """Whether it changes nothing, in whatever method."""
        return self.permission == "read"

    @property
    def scans(self) -> bool:
        """Whether it may look through many entities: it pages, searches or walks, or reads what a body asks for."""
        return (self.is_read and self.method != "GET") or any(one.name in _SCANNING for one in self.parameters)

    def choose(self, query: Mapping[str, Sequence[str]]) -> "Operation":
        """Return the action that a query names. Raises InvalidQuery."""
        names = query.get("action", ())
        if len(names) > 1:
            raise InvalidQuery("is sent more than once", "action")
        chosen = self.actions.get(names[0]) if names else None
        if chosen is None:
            raise InvalidQuery(f"one of {', '.join(self.actions)}", "action")
        return chosen

    def body_shape(self, content_type: str) -> Shape:
        """Return what a body of this media type must be. Where it can be of one type alone, it is read as that. Raises MalformedBody."""
        if len(self.body) == 1:
            (only,) = self.body.values()
            return only
        kind = JSON if content_type in _DEFAULT_CONTENT_TYPES else content_type
        if kind not in self.body:
            raise MalformedBody(f"the body's Content-Type is {shown(kind)}: send one of {', '.join(self.body)}")
        return self.body[kind]


def operation(
    name: str,
    route: str,
    *,
    answers: str | Mapping[int, Shape],
    parameters: Iterable[Parameter[Any]] = (),
    body: str | Mapping[str, Shape] | None = None,
    errors: Iterable[type[MetadataError]] = (),
    permission: Permission | None = None,
    etag: bool | Literal["usually"] = False,
    links: Iterable[Link] = (),
    content_type: str = "",
    raw_body: bool = False,
    statuses: Mapping[type[MetadataError], int] | None = None,
    access: Callable[[Services, Principal], None] | None = None,
    schemaspace: str = "",
    body_required: bool = True,
) -> Callable[[Function], Operation]:
    """Declare a function as the operation `name` at a route such as `GET /entities/{urn}`.

    The first line of its docstring is the summary. Without `permission`, a GET reads and everything else writes.
    """

    def declare(function: Function) -> Operation:
        return Operation(
            id=name,
            route=route,
            summary=cleandoc(function.__doc__ or "").partition("\n")[0].rstrip("."),
            function=function,
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


def operations_of(*modules: ModuleType) -> tuple[Operation, ...]:
    """Return the operations that modules declare, in the order in which they stand there."""
    return tuple(one for module in modules for one in vars(module).values() if isinstance(one, Operation))
