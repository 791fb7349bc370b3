"""What the handlers of `/colophon/datahub` share: URNs in paths, errors with a `message`, and what a replay is."""

import json
import re
from http.client import responses
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from tornado.web import HTTPError

from jupyter_colophon.core import errors
from jupyter_colophon.core.errors import InvalidName, MetadataError
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.datahub.request import Act, Answer, Asking
from jupyter_colophon.http.operation import Shape, methods
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.parameter import Parameter

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog

PREFIX = "/colophon/datahub"
_RAW = "urn:li:"
_LIST = re.compile(r"List\((.*)\)")
_PROBLEMS_TOLD = 5
_METHOD = 405


class DataHubHandler(ApiHandler):
    """A handler of `/colophon/datahub`."""

    @property
    def body_bytes_max(self) -> int:
        """DataHub's clients send batches of 15 MiB."""
        return self.state.settings.datahub_max_body_bytes

    async def reply(self, act: Act, body: Shape | None, *, asks: bool = False) -> None:
        """Answer what a function answers that is given the body, of this shape; all of it on one thread.

        `asks` says that it is a question, also where it is sent as a POST.
        """
        raw, principal, strict = self.sent(), self.principal, self.state.settings.datahub_strict
        key = self.asked(IDEMPOTENCY_KEY) if IDEMPOTENCY_KEY in self.operation.takes else ""

        def work(catalog: "Catalog") -> Answer:
            sent = None if body is None else self.read(raw, body)
            return act(Asking(catalog, principal, sent, strict, key, self.fingerprint))

        told = await self.hop(work, asks=asks)
        for name, value in told.headers.items():
            self.set_header(name, value)
        self.answer(told.document, status=told.status)

    def many(self, parameter: Parameter[str]) -> frozenset[str]:
        """All values of a parameter that may be sent more than once."""
        found: list[str] = self.get_query_arguments(parameter.name, strip=False)
        return frozenset(found)

    def below(self, prefix: str) -> str:
        """The path behind a prefix, as it came over the wire."""
        return str(self.request.path).removeprefix(self.base_url.rstrip("/") + PREFIX + prefix)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Tell an error as `{"message", "status", "errors"}`; an unexpected one without its message."""
        error = kwargs.get("exc_info", (None, None, None))[1]
        told: dict[str, Any] = {"message": responses.get(status_code, "Error")}
        if isinstance(error, MetadataError):
            status_code = self.status_of(type(error))
            told["message"] = message_of(error)
            if error.problems:
                told["errors"] = [{"pointer": one.pointer, "message": one.message} for one in error.problems]
        elif isinstance(error, HTTPError) and status_code < 500 and error.log_message:
            told["message"] = error.log_message
        self.set_status(status_code)
        if status_code == _METHOD:
            self.set_header("Allow", ", ".join(methods(type(self))))
        self.retry_later(status_code)
        self.finish(json.dumps(told | {"status": status_code}))


class RestliHandler(DataHubHandler):
    """A handler of the older routes, where whatever a proposal is refused for is 422."""

    @classmethod
    def status_of(cls, cause: type[MetadataError]) -> int:
        """The status of an error of this class."""
        return _REFUSED if issubclass(cause, _REFUSED_AS) else super().status_of(cause)


_REFUSED = 422
_REFUSED_AS = (
    errors.InvalidInstance,
    errors.InvalidName,
    errors.PatchFailed,
    errors.AlreadyExists,
    errors.ConditionFailed,
    errors.NotEmpty,
)


def message_of(error: MetadataError) -> str:
    """An error in one line: DataHub's clients show nothing else."""
    told = [f"{one.pointer or 'the whole'}: {one.message}" for one in error.problems[:_PROBLEMS_TOLD]]
    return "; ".join([error.detail, *told])


def urn_in(path: str) -> Urn:
    """The URN at the end of a path, as it came over the wire. Raises InvalidName.

    Some clients encode a whole URN; others send it as it is, so that its own escapes stand there as they are, and only
    what no path may hold was encoded, which a URN's own grammar takes as well.
    """
    if path.startswith(_RAW):
        return Urn.parse(path)
    try:
        return Urn.parse(unquote(path, errors="strict"))
    except UnicodeDecodeError:
        raise InvalidName("URN", path, "it is not percent-encoded UTF-8") from None


def names_in(told: str) -> frozenset[str] | None:
    """The names in `List(a,b)` or `a,b`; None, which is all of them, where there are none."""
    listed = _LIST.fullmatch(told)
    names = (listed.group(1) if listed else told).split(",")
    return frozenset(one.strip() for one in names if one.strip()) or None
