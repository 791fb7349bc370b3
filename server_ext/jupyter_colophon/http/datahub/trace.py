"""Where a write stands that was answered before it was done."""

from typing import Any, Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.datahub.mcp import urn_at
from jupyter_colophon.core.documents.pointer import written
from jupyter_colophon.core.errors import InvalidName, NotFound
from jupyter_colophon.http.datahub import shapes
from jupyter_colophon.http.datahub.base import DataHubHandler
from jupyter_colophon.http.datahub.request import Answer, Asking
from jupyter_colophon.http.operation import operation
from jupyter_colophon.operations.parameter import flag
from jupyter_colophon.service.datahub.trace import Traced

_ERRORS: Final = flag("onlyIncludeErrors", "Whether to leave out what is well.")
_DETAILED: Final = flag("detailed", "Makes no difference.")
_SKIPPED: Final = flag("skipCache", "Makes no difference.")
_WANTED: Final = {
    "type": "object",
    "description": "The names of aspects by URN.",
    "additionalProperties": shapes.several(shapes.TEXT, maxItems=1_000),
    "maxProperties": 1_000,
}


class TraceHandler(DataHubHandler):
    """`POST /openapi/v1/trace/write/{id}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "traceWrite",
        takes=[_ERRORS, _DETAILED, _SKIPPED],
        body={"application/json": _WANTED},
        answers={200: {"type": "object", "additionalProperties": shapes.ANY}},
        refuses=[NotFound, InvalidName],
    )
    async def post(self, in_path: str) -> None:
        """Where aspects stand that a write named."""
        errors_only = self.asked(_ERRORS)
        if len(in_path) != 32 or set(in_path) - set("0123456789abcdef"):
            raise NotFound("trace", in_path)

        def read(asking: Asking) -> Answer:
            wanted = {urn_at(urn, written([urn])): names for urn, names in asking.body.items()}
            spelled = {str(urn_at(sent, written([sent]))): sent for sent in asking.body}
            found = asking.catalog.datahub.tracer.states(in_path, wanted, asking.principal)
            told = {
                spelled[urn]: {
                    name: _told(one) for name, one in states.items() if one.state == "ERROR" or not errors_only
                }
                for urn, states in found.items()
            }
            return Answer(told)

        await self.reply(read, _WANTED, asks=True)


def _told(one: Traced) -> dict[str, Any]:
    # What search knows is written with the aspect.
    status: dict[str, Any] = {"writeStatus": one.state}
    if one.why:
        status["writeExceptions"] = [{"message": one.why}]
    return {"success": one.state != "ERROR", "primaryStorage": status, "searchStorage": {"writeStatus": one.state}}


ROUTES = [("/openapi/v1/trace/write/{id}", TraceHandler)]
