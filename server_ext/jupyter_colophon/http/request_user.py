"""The user of the request that is being handled, for code that Jupyter calls without its handler."""

import getpass

from jupyter_server.auth.identity import User
from jupyter_server.base.call_context import CallContext


def get_request_user() -> User:
    """Return the user of the present request; without one, the account's owner."""
    handler = CallContext.get(CallContext.JUPYTER_HANDLER)
    user = getattr(handler, "current_user", None)
    return user if isinstance(user, User) else User(getpass.getuser())
