"""What of a request and an answer is passed on between a single-user server and the shared service.

Only what the API reads and writes: credentials, cookies and headers of the connection stay on their side.
"""

from collections.abc import Iterable, Iterator
from http import HTTPStatus
from typing import Final
from urllib.parse import unquote

from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import HTTPError

from jupyter_colophon.http.forwarding.shared_catalog import ServiceAddress
from jupyter_colophon.operations.idempotency import FINGERPRINTED_HEADERS
from jupyter_colophon.operations.operation import Operation

_SENT: Final = frozenset({"accept", "user-agent", *(name.lower() for name in FINGERPRINTED_HEADERS)})
#: Headers of answers that belong to a connection, a browser's origin or a sign-in.
_KEPT_BACK: Final = frozenset(
    {
        "connection",
        "content-security-policy",
        "date",
        "keep-alive",
        "proxy-authenticate",
        "server",
        "set-cookie",
        "strict-transport-security",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "www-authenticate",
    }
)
#: Headers with URLs of the service, which become those of this server.
_URLS: Final = ("Location", "Link")
#: Query parameters with credentials of this server.
_CREDENTIALS: Final = ("token", "_xsrf")


def select_request_headers(request: HTTPServerRequest, operation: Operation) -> HTTPHeaders:
    """Return the headers that the operation reads."""
    names = _SENT | {item.name.lower() for item in operation.parameters if item.place == "header"}
    return HTTPHeaders({name: value for name, value in request.headers.items() if name.lower() in names})


def build_target(request: HTTPServerRequest, base_url: str) -> str:
    """Return path and query below the service's URL. Raises HTTPError 404 for a path that leaves the API."""
    path = "/" + str(request.path).removeprefix(base_url)
    if any(unquote(segment) in (".", "..") for segment in path.split("/")):
        raise HTTPError(HTTPStatus.NOT_FOUND, "a path has no segments . and ..")
    query = "&".join(_drop_credentials(request.query.split("&"))) if request.query else ""
    return f"{path}?{query}" if query else path


def select_response_headers(headers: HTTPHeaders, address: ServiceAddress, base_url: str) -> Iterator[tuple[str, str]]:
    """Yield the headers to pass on; URLs of the service become URLs of this server."""
    named = {name.strip().lower() for name in headers.get("Connection", "").split(",")}
    for name, value in headers.get_all():
        if name in _URLS:
            if (own := _translate_url(value, address.parts.path, base_url)) is not None:
                yield name, own
        elif name.lower() not in _KEPT_BACK | named and not name.lower().startswith("access-control-"):
            yield name, value


def _drop_credentials(parameters: Iterable[str]) -> Iterator[str]:
    return (item for item in parameters if unquote(item.partition("=")[0]) not in _CREDENTIALS)


def _translate_url(value: str, service_path: str, base_url: str) -> str | None:
    """Return a URL below the service's path as one of this server; None for any other: it would lead elsewhere."""
    bracket = "<" if value.startswith("<") else ""
    path = value.removeprefix(bracket)
    return bracket + base_url + path.removeprefix(service_path) if path.startswith(service_path) else None
