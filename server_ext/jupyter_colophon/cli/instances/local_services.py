"""Services for the instances on this machine. Neither a server nor a catalog is needed."""

import getpass
from functools import cached_property
from importlib.metadata import version

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import InvalidConfiguration
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.schemaspaces.instances import close_instances_outside_server
from jupyter_colophon.schemaspaces.instances import get_or_create_instances_of_process as open_instances
from jupyter_colophon.service.instances.instances import InstanceService
from jupyter_colophon.service.schemaspaces.spaces import SchemaspaceRegistry
from jupyter_colophon.settings import Settings


class LocalServices(ProcessServices):
    """Services that open the catalog, if it exists, only to save an instance or read a version."""

    @classmethod
    def open(cls, settings: Settings) -> "LocalServices":
        """Return the services of these settings. Nothing is opened; settings of the store may be invalid."""
        try:
            store, problem = settings.choose_store(), ""
        except InvalidConfiguration as error:
            store, problem = StorageChoice("", {}), error.detail
        return cls(settings, store, settings.build_identity(), version("jupyter-colophon"), problem)

    @cached_property
    def principal(self) -> Principal:
        """The account of this process."""
        try:
            return Principal(getpass.getuser())
        except (KeyError, OSError):
            return Principal("unknown")

    def get_or_load_schemaspaces(self) -> SchemaspaceRegistry:
        """Return the schemaspaces; the first call loads them."""
        from jupyter_colophon.schemaspaces.schema import SchemaManager

        manager: SchemaManager = SchemaManager.instance(config=self.settings.config)
        return manager.spaces

    def get_or_create_instances(self) -> InstanceService:
        """Return the instances of this process. Raises InvalidConfiguration."""
        self._instances = open_instances(self.settings) if self._instances is None else self._instances
        return self._instances

    def close(self) -> None:
        """Close the stores, if they were opened."""
        if self._instances is not None:
            self._instances = None
            close_instances_outside_server()
