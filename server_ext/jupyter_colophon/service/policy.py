"""Who decides what may be done in a namespace: a token's scopes, and a class of the site's own where there is one."""

import logging
from dataclasses import dataclass
from functools import cache

from jupyter_colophon.core.access import Action, Authorizer, Principal, ScopeAuthorizer
from jupyter_colophon.core.errors import InvalidConfiguration

_logger = logging.getLogger("jupyter_colophon.policy")


@dataclass(frozen=True, slots=True)
class PolicyAuthorizer:
    """The site's policy takes from what a token's scopes allow, and adds nothing to it."""

    policy: Authorizer

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        """Whether the scope and the policy allow it; a policy that fails allows nothing."""
        if action not in principal.scopes:
            return False
        try:
            return self.policy.may(principal, action, namespace) is True
        except Exception as error:  # noqa: BLE001  it is anybody's code
            _logger.error("the policy failed (%s): nothing is allowed", type(error).__name__)
            return False


@cache
def authorizer(named: str) -> Authorizer:
    """Who decides, with one object of the class of this dotted name; with none, the scopes alone. Raises InvalidConfiguration."""
    if not named:
        return ScopeAuthorizer()
    from traitlets.utils.importstring import import_item

    try:
        policy = import_item(named)()
    except Exception as error:
        told = f"the setting c.Colophon.policy names no class that can be used: {named!r} ({type(error).__name__})"
        raise InvalidConfiguration(told) from error
    if not callable(getattr(policy, "may", None)):
        raise InvalidConfiguration(f"the setting c.Colophon.policy names a class without `may`: {named!r}")
    return PolicyAuthorizer(policy)
