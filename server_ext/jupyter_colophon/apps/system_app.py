"""A system application: one for all namespaces, which a package provides."""

from abc import ABC, abstractmethod
from typing import Final

from jupyter_colophon.apps.configurer import SystemAppConfigurer

#: The entry point group; the name of an entry point is the name of its application.
GROUP: Final = "jupyter_colophon.system_apps"


class SystemApp(ABC):
    """The base class of system applications. It is created without arguments, once in each process."""

    @abstractmethod
    def configure(self, configurer: SystemAppConfigurer) -> None:
        """Declare the tables and the handlers. Must return within seconds, and use neither tables nor the network."""
