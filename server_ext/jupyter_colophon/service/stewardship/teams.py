"""Users and teams: who is a member of which, as DataHub's aspects record it.

Membership is in `groupMembership` and `nativeGroupMembership` of a user, and in `members` of `corpGroupInfo`.
"""

from dataclasses import dataclass
from typing import Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import PREFIX, make_single_key_urn
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.vocabulary import format_reference_text
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.storage.lineage.relationships import list_relationships_from, list_relationships_to
from jupyter_colophon.storage.spi import TableContext

USER: Final = "corpuser"
TEAM: Final = "corpGroup"
_MEMBERSHIPS: Final = frozenset({"IsMemberOfGroup", "IsMemberOfNativeGroup"})
_LISTED: Final = frozenset({"IsPartOf"})
_LISTING_ASPECT: Final = "corpGroupInfo"
#: The most teams of a user and members of a team that are read.
TEAMS_MAX: Final = 100
MEMBERS_MAX: Final = 500


def make_user_urn(user: str) -> Urn:
    """Return the URN of a user. Raises InvalidName."""
    return make_single_key_urn(USER, user)


@dataclass(frozen=True, slots=True)
class TeamReader:
    """Reads memberships in one transaction."""

    tx: TableContext
    registry: Registry
    read_policy: ReadPolicy

    def list_teams_of_user(self, user: str) -> list[str]:
        """Return the URNs of the teams of a user, sorted."""
        try:
            urn = make_user_urn(user)
        except InvalidName:
            return []
        own = {
            row.target
            for row in list_relationships_from(self.tx, self.registry, urn)
            if row.kind in _MEMBERSHIPS and row.target.startswith(f"{PREFIX}{TEAM}:")
        }
        listed = {
            row.urn
            for row in list_relationships_to(self.tx, str(urn), _LISTED, (), TEAMS_MAX)
            if row.aspect == _LISTING_ASPECT
        }
        return sorted(own | listed)[:TEAMS_MAX]

    def list_members_of_team(self, team: Urn) -> list[str]:
        """Return the URNs of the members of a team, sorted."""
        users = f"{PREFIX}{USER}:"
        own = {row.urn for row in list_relationships_to(self.tx, str(team), _MEMBERSHIPS, (), MEMBERS_MAX)}
        listed = {
            row.target
            for row in list_relationships_from(self.tx, self.registry, team)
            if row.kind in _LISTED and row.target.startswith(users)
        }
        return sorted(own | listed)[:MEMBERS_MAX]

    def list_teams(self, principal: Principal) -> list[str]:
        """Return the URNs of the teams of a principal: recorded ones, and groups of the identity provider."""
        groups = self.read_policy.access_control.list_groups(principal)
        return sorted({*self.list_teams_of_user(principal.user), *(f"{PREFIX}{TEAM}:{group}" for group in groups)})

    def list_owner_texts(self, principal: Principal, *, teams: bool) -> set[str]:
        """Return what an owner may be recorded as if it is this user, or with `teams` one of the user's teams.

        An owner is a URN, or a text: the name of the user, or the key of the team.
        """
        user = principal.user
        try:
            urns = [str(make_user_urn(user)), *(self.list_teams(principal) if teams else ())]
        except InvalidName:
            urns = []
        return {user, *urns, *map(format_reference_text, urns)}
