"""A user whose scopes and groups an identity provider determines, such as JupyterHub's."""

from collections.abc import Iterable

from jupyter_server.auth.identity import User

from jupyter_colophon.core.access import Action, Principal


class CatalogUser(User):
    """A user of Jupyter's, with the scopes and groups that the provider of the identity granted."""

    def __init__(self, name: str, scopes: Iterable[Action], groups: Iterable[str]) -> None:
        super().__init__(username=name, name=name)
        self.scopes: frozenset[Action] = frozenset(scopes)
        self.groups = frozenset(groups)

    @property
    def principal(self) -> Principal:
        """The principal of this user's requests."""
        return Principal(self.username, scopes=self.scopes, groups=self.groups)
