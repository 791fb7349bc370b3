"""The services for instances on this machine, with or without a server beside and without a catalog."""

import getpass
from functools import cached_property
from importlib.metadata import version

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import InvalidConfiguration
from jupyter_colophon.core.store import StoreChoice
from jupyter_colophon.operations.services import Services
from jupyter_colophon.schemaspaces.instances import current, release
from jupyter_colophon.service.instances.instances import Instances
from jupyter_colophon.service.schemaspaces.spaces import Spaces
from jupyter_colophon.settings import Settings


class LocalServices(Services):
    """Services whose instances open the catalog, if there is one, only for a save or a version."""

    @classmethod
    def open(cls, settings: Settings) -> "LocalServices":
        """Return the services of these settings. Nothing is opened; settings of the store may be wrong."""
        try:
            store, wrong = settings.store(), ""
        except InvalidConfiguration as error:
            store, wrong = StoreChoice("", {}), error.detail
        return cls(settings, store, settings.identity(), version("jupyter-colophon"), wrong)

    @cached_property
    def principal(self) -> Principal:
        """The account of this process."""
        try:
            return Principal(getpass.getuser())
        except (KeyError, OSError):
            return Principal("unknown")

    def spaces(self) -> Spaces:
        """Return the schemaspaces; the first call loads them."""
        from jupyter_colophon.schemaspaces.schema import SchemaManager

        manager: SchemaManager = SchemaManager.instance(config=self.settings.config)
        return manager.spaces

    def instances(self) -> Instances:
        """Return the instances of this process. Raises InvalidConfiguration."""
        self._instances = current(self.settings) if self._instances is None else self._instances
        return self._instances

    def close(self) -> None:
        """Close the stores, if they were opened."""
        if self._instances is not None:
            self._instances = None
            release()
