"""Users and teams with their names, and who is a member of which team."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.owner_request import Person
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.vocabulary import format_reference_text
from jupyter_colophon.service.entities.display_names import DisplayNameReader
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.service.stewardship.teams import TEAM, USER, TeamReader
from jupyter_colophon.storage.spi import StorageProvider, TableContext


@dataclass(frozen=True, slots=True)
class PeopleReader:
    """Reads users and teams."""

    provider: StorageProvider
    registry: Registry
    read_policy: ReadPolicy
    #: The users and teams that are responsible for entities without owners: names, or URNs of teams.
    stewards: tuple[str, ...] = ()

    def list_teams_of_caller(self, principal: Principal) -> list[Person]:
        """Return the teams of the principal."""

        def read_teams(tx: TableContext) -> list[Person]:
            return self.name_people(tx, self._create_team_reader(tx).list_teams(principal), principal)

        return self.provider.tx_runner.run(read_teams, read_only=True)

    def is_steward(self, principal: Principal) -> bool:
        """Return whether the settings name the principal, or a team of the principal, as steward."""
        if not self.stewards:
            return False

        def read_names(tx: TableContext) -> set[str]:
            return self._create_team_reader(tx).list_owner_texts(principal, teams=True)

        return not self.provider.tx_runner.run(read_names, read_only=True).isdisjoint(self.stewards)

    def list_memberships(self, urn: Urn, principal: Principal) -> tuple[list[Person], list[Person]]:
        """Return the members of a team, and the teams of a user; both are empty for other entities. Raises NotFound."""
        self.read_policy.require_readable_entity(principal, urn)

        def read_memberships(tx: TableContext) -> tuple[list[Person], list[Person]]:
            teams = self._create_team_reader(tx)
            members = teams.list_members_of_team(urn) if urn.type == TEAM else []
            of_user = teams.list_teams_of_user(urn.parts[0]) if urn.type == USER else []
            return self.name_people(tx, members, principal), self.name_people(tx, of_user, principal)

        return self.provider.tx_runner.run(read_memberships, read_only=True)

    def _create_team_reader(self, tx: TableContext) -> TeamReader:
        return TeamReader(tx, self.registry, self.read_policy)

    def name_people(self, tx: TableContext, owners: Sequence[str], principal: Principal) -> list[Person]:
        """Return these owners with their names."""
        names = self.read_names(tx, owners, principal)
        return [Person(owner, names.get(owner) or format_reference_text(owner)) for owner in owners]

    def read_names(self, tx: TableContext, owners: Iterable[str], principal: Principal) -> dict[str, str]:
        """Return the names of those owners that are entities with a name, by URN."""
        reader = DisplayNameReader(tx, self.registry, self.read_policy, principal)
        return reader.read_given_names([owner for owner in owners if owner.startswith("urn:")])
