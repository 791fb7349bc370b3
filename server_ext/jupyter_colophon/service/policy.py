"""Authorizers: a token's scopes, further restricted by the site's policy class if there is one, and by policies."""

import getpass
import logging
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jupyter_colophon.core.access import Action, Authorizer, Principal, ScopeAuthorizer
from jupyter_colophon.core.errors import InvalidConfiguration
from jupyter_colophon.service.access_control import AccessControl
from jupyter_colophon.service.policy_files import PolicyFolder
from jupyter_colophon.service.policy_source import PolicySource, load_policy_schema

_logger = logging.getLogger("jupyter_colophon.policy")


@dataclass(frozen=True, slots=True)
class PolicyAuthorizer:
    """Restricts what a token permits by the site's policy, which can only deny."""

    policy: Authorizer

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        """Return whether both the token and the policy allow the action; a policy that raises allows nothing."""
        if not principal.is_permitted_by_token(action, namespace):
            return False
        try:
            return self.policy.may(principal, action, namespace) is True
        except Exception as error:  # noqa: BLE001  third-party code
            _logger.error("the access policy raised %s; access denied", type(error).__name__)
            return False


@cache
def load_policy_authorizer(class_name: str) -> Authorizer:
    """Return the authorizer of a policy class, by its dotted name; "" means scopes alone. Raises InvalidConfiguration."""
    if not class_name:
        return ScopeAuthorizer()
    from traitlets.utils.importstring import import_item

    try:
        policy = import_item(class_name)()
    except Exception as error:
        message = f"c.Colophon.policy: cannot load the class {class_name!r} ({type(error).__name__})"
        raise InvalidConfiguration(message) from error
    if not callable(getattr(policy, "may", None)):
        raise InvalidConfiguration(f"c.Colophon.policy: the class {class_name!r} has no method `may`")
    return PolicyAuthorizer(policy)


def open_access_control(
    class_name: str, admins: Collection[str], groups: Mapping[str, Collection[str]], folder: Path | None
) -> AccessControl:
    """Return the access control of these settings: a policy class, the admins, the members of groups, and a folder of policies.

    Without `admins`, the account that runs this process is the admin. Raises InvalidConfiguration.
    """
    groups_of_users: defaultdict[str, set[str]] = defaultdict(set)
    for group, users in groups.items():
        for user in users:
            groups_of_users[user].add(group)
    return AccessControl(
        site=load_policy_authorizer(class_name),
        policies=PolicySource(
            None if folder is None else PolicyFolder(folder, load_policy_schema()),
            required=bool(admins) or folder is not None,
        ),
        admins=frozenset(admins or [getpass.getuser()]),
        groups={user: frozenset(names) for user, names in groups_of_users.items()},
    )
