"""The `access` of operations that only admins may call."""

from collections.abc import Callable

from jupyter_colophon.core.access import Principal
from jupyter_colophon.operations.services import ProcessServices


def build_admin_check(action: str, subject: str) -> Callable[[ProcessServices, Principal], None]:
    """Return a function that requires the scope `admin` in all namespaces; it is called before the body is read.

    The function raises AccessDenied, with what was refused, and InvalidConfiguration if the policy cannot be loaded.
    """

    def require_admin(services: ProcessServices, principal: Principal) -> None:
        services.require_admin(principal, action, subject)

    return require_admin
