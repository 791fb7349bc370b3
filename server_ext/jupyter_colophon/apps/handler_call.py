"""Call a handler, and encode its response. Whatever its code does is an error of its application only."""

import json
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final, NamedTuple

from jupyter_colophon.apps.app_log import get_app_logger
from jupyter_colophon.apps.context import ServiceContext
from jupyter_colophon.apps.routes import Route
from jupyter_colophon.apps.service import JSON, STATUSES, TEXT_TYPES, ServiceRequest, ServiceResponse
from jupyter_colophon.core import errors
from jupyter_colophon.core.read_budget import ANSWER_BYTES_MAX

#: What a handler may raise to refuse a request, and failures outside its code; anything else is a failure of the
#: handler, such as wrong arguments for tables, files, topics and proposals.
ANSWERED: Final = (
    errors.AccessDenied,
    errors.AlreadyExists,
    errors.BadRequest,
    errors.MalformedBody,
    errors.NotFound,
    errors.PluginFailed,
    errors.SecretUnavailable,
    errors.StorageError,
    errors.SystemAppTimeout,
    errors.SystemAppUnavailable,
    errors.TooLarge,
)
_NO_CONTENT: Final = 204


class EncodedResponse(NamedTuple):
    """A status and an encoded document, which is empty with the status 204."""

    status: int
    body: bytes
    media_type: str = JSON


@dataclass(frozen=True, slots=True)
class HandlerCall:
    """A call that is authorized."""

    app: str
    route: Route
    request: ServiceRequest
    context: ServiceContext
    #: Whether a worker process runs the handler, and not a thread of the server.
    in_worker: bool = False
    #: Acquired by the thread that logs the end of the time limit, which is logged once.
    _timeout_log: Lock = field(default_factory=Lock, repr=False, compare=False)

    def run_handler(self) -> EncodedResponse:
        """Run the handler on this thread. Raises SystemAppFailed if its code fails, and the errors that it may raise."""
        if not self.context.get_remaining_seconds():
            raise errors.SystemAppTimeout(self.app, self.route.timeout_s)
        try:
            result = self.route.handler(self.context, self.request)
        except errors.TransactionTimeout as error:
            get_app_logger(self.app).warning("the handler of %s: %s", self._route_name, error.detail, exc_info=error)
            raise
        except ANSWERED:
            raise
        except BaseException as error:
            logger = get_app_logger(self.app)
            logger.error(
                "the handler of %s of the system application %s failed", self._route_name, self.app, exc_info=error
            )
            raise self._create_failure(f"the handler of {self._route_name} raised {type(error).__name__}") from error
        finally:
            self.context.close_plugins()
        return self._encode_response(result)

    def log_and_create_timeout(self) -> errors.SystemAppTimeout:
        """Return the error of a call that did not return in time. It is logged once."""
        timeout = errors.SystemAppTimeout(self.app, self.route.timeout_s)
        if self._timeout_log.acquire(blocking=False):
            get_app_logger(self.app).warning("the handler of %s: %s", self._route_name, timeout.detail)
        return timeout

    def _encode_response(self, result: Any) -> EncodedResponse:
        response = result if isinstance(result, ServiceResponse) else _create_response(result)
        if (
            type(response.status) is not int
            or response.status not in STATUSES
            or (response.status == _NO_CONTENT and response.document is not None)
        ):
            raise self._log_and_create_failure(
                f"the handler of {self._route_name} returned the status {response.status!r}: use one of 200, 201, 202, "
                "and 204 without a document"
            )
        if response.status == _NO_CONTENT:
            return EncodedResponse(_NO_CONTENT, b"")
        body = self._encode_document(response)
        if len(body) > ANSWER_BYTES_MAX:
            raise self._log_and_create_failure(
                f"the handler of {self._route_name} returned more than {ANSWER_BYTES_MAX} bytes"
            )
        return EncodedResponse(response.status, body, response.media_type)

    def _encode_document(self, response: ServiceResponse) -> bytes:
        if response.media_type in TEXT_TYPES and isinstance(response.document, str):
            return response.document.encode(errors="replace")
        if response.media_type != JSON:
            raise self._log_and_create_failure(
                f"the handler of {self._route_name} returned no text, or the media type {response.media_type!r}: use one "
                f"of {', '.join(sorted({JSON, *TEXT_TYPES}))}"
            )
        try:
            return json.dumps(response.document, ensure_ascii=False, allow_nan=False).encode(errors="replace")
        except Exception as error:
            # Classes of the application may be among the values.
            raise self._log_and_create_failure(
                f"the handler of {self._route_name} returned a value that is not JSON ({error})"
            ) from error

    @property
    def _route_name(self) -> str:
        return f"{self.route.method} /{'/'.join(self.route.segments)}"

    def _log_and_create_failure(self, reason: str) -> errors.SystemAppFailed:
        failure = self._create_failure(reason)
        get_app_logger(self.app).error("%s", failure.detail)
        return failure

    def _create_failure(self, reason: str) -> errors.SystemAppFailed:
        return errors.SystemAppFailed(self.app, reason)


def _create_response(document: Any) -> ServiceResponse:
    return ServiceResponse(document, _NO_CONTENT if document is None else 200)
