"""Check access policies: files and stored ones, the names in them, and who can still change them."""

import getpass
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from jupyter_colophon.cli.maintenance.check_result import CheckResult
from jupyter_colophon.core.errors import InvalidConfiguration
from jupyter_colophon.core.policies.policy import EVERYONE, Rule
from jupyter_colophon.settings import Settings

if TYPE_CHECKING:
    from jupyter_colophon.maintenance import Maintenance
    from jupyter_colophon.service.policy_reader import PolicyReader

_CHECK: Final = "access policies"
_WHERE: Final = "docs/how-to/share-with-a-team.md"
#: Set by JupyterHub for servers and services that it starts: then users have names of their own.
_HUB_VARIABLE: Final = "JUPYTERHUB_API_TOKEN"


def check_policy_files(settings: Settings) -> Iterator[CheckResult]:
    """Yield a result for each file of the folder that cannot be used. Nothing without a folder."""
    if not settings.policy_folder:
        return
    # Loaded only if there is a folder.
    from jupyter_colophon.service.policy_files import PolicyFolder
    from jupyter_colophon.service.policy_source import load_policy_schema

    folder = PolicyFolder(Path(settings.policy_folder).expanduser(), load_policy_schema())
    folder.read_changed_files()
    for path, problem in sorted(folder.problems.items()):
        yield CheckResult("access policy", "bad", f"{path}: {problem}", "correct it: jupyter colophon policies check")
    if not folder.problems:
        yield CheckResult("policy folder", "ok", f"{folder.folder}: {len(folder.policies)} files")


def check_policies(settings: Settings, maintenance: "Maintenance") -> Iterator[CheckResult]:
    """Yield the state of the policies, and what in them is probably a mistake."""
    from jupyter_colophon.service.access_control import create_access_control
    from jupyter_colophon.service.policy_reader import PolicyReader

    try:
        access = create_access_control(settings.load_authorizer())
        access.attach_store(maintenance.provider)
    except InvalidConfiguration as error:
        yield CheckResult(_CHECK, "bad", error.detail, "correct c.Colophon.policy (docs/settings.md)")
        return
    try:
        source = access.policies
        version = None if source is None else source.get_version()
        if version is None or not version.in_force:
            yield CheckResult(_CHECK, "ok", "none: the scopes of tokens decide alone")
            return
        reader = PolicyReader(maintenance.provider, access)
        yield CheckResult(_CHECK, "ok", f"in force, {len(version.rules)} rules")
        yield from _check_stored_policies(reader, maintenance, settings)
        yield from _check_admins(settings, version.rules)
        yield from _check_identity(settings)
    finally:
        access.detach_store(maintenance.provider)


def _check_stored_policies(
    reader: "PolicyReader", maintenance: "Maintenance", settings: Settings
) -> Iterator[CheckResult]:
    """Yield stored policies that cannot be used, and names in all policies that nothing has."""
    from jupyter_colophon.service.policy_names import KnownNames

    known = KnownNames(maintenance.registry, settings.groups or None)
    for policy in reader.read_policies():
        if policy.problem and policy.origin == "catalog":
            advice = "correct it: jupyter colophon policies set NAME FILE"
            yield CheckResult("access policy", "bad", f"{policy.policy}: {policy.problem}", advice)
        if policy.problem or policy.document is None:
            continue
        for problem in reader.find_unknown_names(policy.document, known):
            message = f"{policy.policy}, {problem.pointer}: {problem.message}"
            yield CheckResult("names in access policies", "warning", message, f"correct the name ({_WHERE})")


def _check_admins(settings: Settings, rules: Iterable[Rule]) -> Iterator[CheckResult]:
    """Yield whether anyone can still change policies."""
    problem = _find_problem_of_admins(settings.admins, settings.groups, list(rules))
    if problem:
        advice = f"name users, or groups with members, in c.Colophon.admins ({_WHERE})"
        yield CheckResult("admins", "bad" if settings.admins else "warning", problem, advice)
    else:
        yield CheckResult("admins", "ok", ", ".join(settings.admins) or "granted by policies")


def _find_problem_of_admins(admins: list[str], groups: Mapping[str, list[str]], rules: list[Rule]) -> str:
    if admins:
        empty = [name for name in admins if name.startswith("group:") and not groups.get(name.removeprefix("group:"))]
        # Without groups in the settings, the identity provider has them.
        if groups and len(empty) == len(admins):
            return (
                f"no one can change policies: c.Colophon.admins names only groups without members ({', '.join(empty)})"
            )
        return ""
    of_all = [rule for rule in rules if "admin" in rule.permissions and not rule.has_conditions]
    account = getpass.getuser()
    if any(rule.denies and EVERYONE in rule.to for rule in of_all):
        return (
            f"only {account}, the account that runs the server, can change policies: a rule denies it to everyone else"
        )
    if all(rule.denies for rule in of_all):
        return f"only {account}, the account that runs the server, can change policies: no rule grants the role admin on everything"
    return ""


def _check_identity(settings: Settings) -> Iterator[CheckResult]:
    """Yield a warning unless the settings or this environment show that each user has a name.

    By hand, this command cannot know whether JupyterHub runs the server: the hub sets variables in its environment.
    """
    if "identity_provider_class" in settings.config.ServerApp or _HUB_VARIABLE in os.environ:
        return
    yield CheckResult(
        "identity of users",
        "warning",
        "policies are in force, and who identifies users was not checked: c.ServerApp.identity_provider_class is not "
        f"set, and {_HUB_VARIABLE}, which JupyterHub sets for servers and services, is absent here. With Jupyter's own "
        f"token or password, all users are {getpass.getuser()}",
        "compare the names that GET /colophon/api/me answers to the tokens of two users; if they are equal, use "
        f"JupyterHub, or set c.ServerApp.identity_provider_class ({_WHERE})",
    )
