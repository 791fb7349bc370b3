"""What the handlers of the Elyra door share: Elyra's error body, its content types, and ETags of whole answers."""

import json
import time
from http.client import responses
from typing import Any

from tornado.web import HTTPError, RequestHandler

from jupyter_colophon.core.errors import MetadataError, SchemaspaceNotFound
from jupyter_colophon.http.base import RETRY_AFTER_S, ApiHandler
from jupyter_colophon.http.operation import methods
from jupyter_colophon.operations.problems import row_of

JSON = "application/json; charset=UTF-8"
_BAD_REQUEST, _METHOD, _UNAVAILABLE = 400, 405, 503


class ElyraHandler(ApiHandler):
    """A handler of the Elyra state."""

    content_type = JSON
    #: The status of a schemaspace that there is not (spec INST-1).
    unknown_space = 404

    def compute_etag(self) -> str | None:
        """The version that was told, else a hash of what is answered, as Tornado makes it and Elyra's clients have it."""
        told: str | None = self._headers.get("Etag")
        return told or RequestHandler.compute_etag(self)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Tell an error in Elyra's form, beside all that is wrong; an unexpected one without its message or traceback."""
        error = kwargs.get("exc_info", (None, None, None))[1]
        told: dict[str, Any] = {"reason": "", "message": "", "timestamp": time.strftime("%Y-%m-%d %H:%M:%S")}
        if isinstance(error, MetadataError):
            status_code = self.unknown_space if isinstance(error, SchemaspaceNotFound) else row_of(type(error)).status
            told["message"] = error.detail
            if error.problems:
                told["errors"] = [{"pointer": one.pointer, "message": one.message} for one in error.problems]
        elif isinstance(error, HTTPError) and status_code < 500:
            told["message"] = error.log_message or ""
        told["reason"] = responses.get(status_code, "Unknown HTTP Error")
        self.set_status(status_code)
        if status_code == _METHOD:
            self.set_header("Allow", ", ".join(methods(type(self))))
        if status_code == _UNAVAILABLE:
            self.set_header("Retry-After", RETRY_AFTER_S)
        self.finish(json.dumps(told))


class InstanceDoorHandler(ElyraHandler):
    """A handler of instances, where a schemaspace that there is not is a wrong request."""

    unknown_space = _BAD_REQUEST
