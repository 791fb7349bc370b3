"""What a handler method takes, answers and refuses, said once beside the method.

The handler reads its parameters and its body through the declaration, and `http/openapi.py` makes the API's document
of it; so the two cannot disagree.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from inspect import cleandoc
from typing import Any, Literal, TypeVar

from jupyter_colophon.core.errors import MalformedBody, MetadataError, shown
from jupyter_colophon.operations.parameter import Parameter

#: A document: the name of a file in `schemas/api`, or a JSON Schema.
Shape = str | Mapping[str, Any]
Method = TypeVar("Method", bound=Callable[..., Any])
METHODS = ("get", "post", "put", "patch", "delete")
_MARK = "colophon_operation"
_JSON = "application/json"
#: What a request says of its body where nobody chose anything: the second is what curl and forms send.
_UNSAID = ("", "application/x-www-form-urlencoded")


#: The parameters of operations that page, search or walk.
_LOOKING = frozenset({"count", "cursor", "depth", "levels", "limit", "offset", "q", "query", "scrollId", "start"})


@dataclass(frozen=True, slots=True)
class Link:
    """What can be asked next: an operation, and its parameters out of the answer with this status (Link Object)."""

    operation: str
    parameters: Mapping[str, str]
    status: int = 200


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one route. What every operation may refuse (not signed in, store away …) is not repeated here."""

    id: str
    summary: str
    #: Status to document.
    answers: Mapping[int, Shape]
    takes: tuple[Parameter[Any], ...] = ()
    #: Content type to document; empty where there is no body.
    body: Mapping[str, Shape] = field(default_factory=dict)
    refuses: tuple[type[MetadataError], ...] = ()
    #: Whether answers carry the version as their ETag; `usually`: not while there is no telling it.
    etag: bool | Literal["usually"] = False
    links: tuple[Link, ...] = ()
    #: The content type of what is answered; empty for that of the API's documents.
    kind: str = ""

    @property
    def looks_through_many(self) -> bool:
        """Whether a request may look through many entities: it pages, searches or walks."""
        return any(one.name in _LOOKING for one in self.takes)

    def body_shape(self, content_type: str) -> Shape:
        """What a body must be. Where it can be of one type alone, it is taken for that. Raises MalformedBody."""
        kind = content_type.partition(";")[0].strip().lower()
        if len(self.body) == 1:
            (only,) = self.body.values()
            return only
        if kind in _UNSAID:
            kind = _JSON
        if kind not in self.body:
            raise MalformedBody(f"the body's Content-Type is {shown(kind)}: send one of {', '.join(self.body)}")
        return self.body[kind]


def operation(
    name: str,
    *,
    answers: str | Mapping[int, Shape],
    takes: Iterable[Parameter[Any]] = (),
    body: str | Mapping[str, Shape] | None = None,
    refuses: Iterable[type[MetadataError]] = (),
    etag: bool | Literal["usually"] = False,
    links: Iterable[Link] = (),
    kind: str = "",
) -> Callable[[Method], Method]:
    """Declare a handler method. Its docstring's first line is the summary; `name` is the operation's id, for good."""

    def declare(method: Method) -> Method:
        told = Operation(
            id=name,
            summary=cleandoc(method.__doc__ or "").partition("\n")[0].rstrip("."),
            answers={200: answers} if isinstance(answers, str) else answers,
            takes=tuple(takes),
            body={_JSON: body} if isinstance(body, str) else body or {},
            refuses=tuple(refuses),
            etag=etag,
            links=tuple(links),
            kind=kind,
        )
        setattr(method, _MARK, told)
        return method

    return declare


def declared(handler: type, method: str) -> Operation | None:
    """What a handler class says of one of its methods (`get`, `put` …)."""
    found: Operation | None = getattr(getattr(handler, method), _MARK, None)
    return found


def methods(handler: type) -> list[str]:
    """The methods that a handler class declares, as HTTP writes them."""
    return [name.upper() for name in METHODS if declared(handler, name) is not None]
