"""The access policies as admins see them: those that are stored in the catalog, and those of the folder of files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import InvalidInstance, NotFound, Problem
from jupyter_colophon.core.identity.names import NO_NAMESPACE, Urn
from jupyter_colophon.core.policies.policy import parse_policy
from jupyter_colophon.core.policies.policy_summary import PolicyContent, PolicyOrigin
from jupyter_colophon.core.policies.rights import AccessRights
from jupyter_colophon.service.access_control import AccessControl
from jupyter_colophon.service.policy_files import (
    describe_first_problem,
    describe_problem,
    list_policy_paths,
    read_policy_file,
)
from jupyter_colophon.service.policy_names import KnownNames, find_unknown_names
from jupyter_colophon.service.policy_source import find_policy_problems, load_policy_schema, read_stored_policies
from jupyter_colophon.storage.spi import StorageProvider


@dataclass(frozen=True, slots=True)
class PolicyReader:
    """Reads the policies themselves; `AccessControl` decides by them. Its callers are admins."""

    provider: StorageProvider
    access_control: AccessControl

    @property
    def folder(self) -> Path | None:
        """The folder of files; None if there is none."""
        source = self.access_control.policies
        return source.folder.folder if source is not None and source.folder is not None else None

    @property
    def is_in_force(self) -> bool:
        """Whether policies decide: what no rule grants is denied then."""
        source = self.access_control.policies
        return source is not None and source.get_version().in_force

    def read_policies(self) -> list[PolicyContent]:
        """Return the stored policies, then those of files, each by name; a folder that cannot be read is an item, too."""
        return [*self._read_stored(), *self._read_files()]

    def read_policy(self, policy: str) -> PolicyContent:
        """Return a policy by its URN or the path of its file. Raises NotFound."""
        for content in self._read_stored() if policy.startswith("urn:") else self._read_files(policy):
            if content.policy == policy:
                return content
        raise NotFound("access policy", policy)

    def find_unknown_names(self, document: Mapping[str, Any], known: KnownNames) -> list[Problem]:
        """Return the names in a valid document that nothing has."""
        return self.provider.tx_runner.run(lambda tx: find_unknown_names(tx, document, known), read_only=True)

    def is_still_admin(self, principal: Principal, policy: str, document: Mapping[str, Any]) -> bool:
        """Return whether a principal would be an admin with this document in place of a policy."""
        access, source = self.access_control, self.access_control.policies
        groups = access.list_groups(principal)
        if not access.admins.isdisjoint({principal.user, *(f"group:{group}" for group in groups)}):
            return True
        others = () if source is None else source.get_version().rules
        rules = [rule for rule in others if rule.policy != policy]
        rules += parse_policy(policy, document, load_policy_schema())
        return AccessRights(rules, principal.user, groups).decide_all("admin", NO_NAMESPACE) is True

    def _read_stored(self) -> list[PolicyContent]:
        documents = self.provider.tx_runner.run(read_stored_policies, read_only=True)
        return [_create_content(urn, get_policy_name(urn), "catalog", document) for urn, document in documents.items()]

    def _read_files(self, only: str = "") -> list[PolicyContent]:
        """Return the policies of all files, or of one."""
        if self.folder is None:
            return []
        try:
            paths = list_policy_paths(self.folder)
        except OSError as error:
            problem = f"the folder cannot be read ({error.strerror})"
            return [PolicyContent(str(self.folder), self.folder.name, "file", None, problem=problem)]
        return [_read_file(path) for path in paths if only in ("", str(path))]


def _read_file(path: Path) -> PolicyContent:
    try:
        file = read_policy_file(path)
    except InvalidInstance as error:
        return PolicyContent(str(path), path.name, "file", None, problem=describe_first_problem(error))
    return _create_content(str(path), path.name, "file", file.document, file.lines)


def _create_content(
    policy: str, name: str, origin: PolicyOrigin, document: Any, lines: Sequence[int] = ()
) -> PolicyContent:
    problems = find_policy_problems(document)
    problem = describe_problem(problems[0]) if problems else ""
    return PolicyContent(policy, name, origin, document if isinstance(document, dict) else None, lines, problem)


def get_policy_name(urn: str) -> str:
    """Return the name of a stored policy."""
    return Urn.parse(urn).parts[0]
