"""The settings of a command: Jupyter's config files, then the command line."""

from argparse import Namespace
from pathlib import Path

from jupyter_core.paths import jupyter_config_path
from traitlets.config import Application, Config
from traitlets.config.loader import DeferredConfigList, DeferredConfigString

from jupyter_colophon.core.errors import InvalidConfiguration
from jupyter_colophon.settings import Settings

#: Besides Jupyter's own, those of a server, where `c.Colophon` usually is.
_COMMON_CONFIG = "jupyter_config"
_CONFIG_FILES = ("jupyter_server_config", "jupyter_jupyter_colophon_config", "jupyter_colophon_config")


class Colophon(Settings):
    """The settings, under the name that they have in a server."""

    def is_anothers(self, name: str) -> bool:
        """Whether it is for the server's extension."""
        # A server is slow to load, and nearly nobody sets these.
        from jupyter_server.extension.application import ExtensionApp

        return name in ExtensionApp.class_traits(config=True)


def read_settings(args: Namespace) -> Colophon:
    """Read the settings; options take precedence over config files.

    Raises:
        InvalidConfiguration: a config file does not exist or cannot be read.
    """
    config = _read_config_files(getattr(args, "config", ""))
    given = {
        name.removeprefix("Colophon."): value for name, value in vars(args).items() if name.startswith("Colophon.")
    }
    for name, value in given.items():
        is_list = isinstance(value, list)
        config.Colophon[name] = DeferredConfigList(value) if is_list else DeferredConfigString(value)
    return Colophon(config=config)


def _read_config_files(chosen: str) -> Config:
    """Read Jupyter's config file, and the chosen one or else the server's and ours."""
    if chosen and not Path(chosen).is_file():
        raise InvalidConfiguration(f"there is no config file {chosen}")
    loader = Application()
    loader.raise_config_file_errors = True
    for file in (_COMMON_CONFIG, *([chosen] if chosen else _CONFIG_FILES)):
        folders = [str(Path(file).parent)] if file is chosen else jupyter_config_path()
        try:
            loader.load_config_file(Path(file).name, path=folders)
        except Exception as error:  # noqa: BLE001  a config file is anybody's program
            raise InvalidConfiguration(f"{file} cannot be read: {error}") from None
    return loader.config
