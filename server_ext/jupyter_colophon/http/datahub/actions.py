"""Rest.li's actions: one path takes POST with `?action=` for several things that can be done there."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jupyter_server.utils import ensure_async
from tornado.web import HTTPError

from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.http import route_auth_check
from jupyter_colophon.http.datahub.base import RestliHandler
from jupyter_colophon.http.datahub.request import Act
from jupyter_colophon.http.operation import Shape
from jupyter_colophon.operations.parameter import Parameter, choice


@dataclass(frozen=True, slots=True)
class Action:
    """One of them: what its body is, what it does, and whether that writes."""

    body: Shape
    act: Act
    writes: bool = False


def parameter(actions: Mapping[str, Action]) -> Parameter[str]:
    """The parameter that says which action is meant."""
    return choice("action", "What is to be done.", *actions)


def bodies(actions: Mapping[str, Action]) -> dict[str, Any]:
    """What a body can be."""
    return {"application/json": {"anyOf": [one.body for one in actions.values()]}}


class ActionsHandler(RestliHandler):
    """A handler of a path with actions."""

    async def act(self, actions: Mapping[str, Action], name: str) -> None:
        """Do the action of that name. Who may not write at all may still ask."""
        if not name:
            raise InvalidQuery(f"one of {', '.join(actions)}", "action")
        action = actions[name]
        if action.writes:
            allowed = self.authorizer.is_authorized(self, self.current_user, "write", route_auth_check.RESOURCE)
            if not await ensure_async(allowed):
                raise HTTPError(403)
        await self.reply(action.act, action.body, asks=not action.writes)
