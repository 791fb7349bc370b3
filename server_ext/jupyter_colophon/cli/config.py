"""Read the settings of a command from Jupyter's config files and the command line."""

from argparse import Namespace
from pathlib import Path

from jupyter_core.paths import jupyter_config_path
from traitlets.config import Application, Config
from traitlets.config.loader import DeferredConfig, DeferredConfigList, DeferredConfigString

from jupyter_colophon.core.errors import InvalidConfiguration, NotFound
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.settings import Settings, create_settings

#: Jupyter's own file, then those of a server, where `c.Colophon` is usually set.
_JUPYTER_CONFIG = "jupyter_config"
_CONFIG_FILES = ("jupyter_server_config", "jupyter_jupyter_colophon_config", "jupyter_colophon_config")


class CommandSettings(Settings):
    """The settings of a command."""

    def is_setting_of_other_part(self, name: str) -> bool:
        """Return whether this is a setting of the server extension, not of the catalog."""
        # The server is slow to load, and these settings are rare.
        from jupyter_server.extension.application import ExtensionApp

        return name in ExtensionApp.class_traits(config=True)


def read_settings(args: Namespace) -> CommandSettings:
    """Read the settings; options take precedence over config files.

    Raises:
        InvalidConfiguration: a config file does not exist or cannot be read.
    """
    config = _read_config_files(getattr(args, "config", ""))
    config.Colophon.update(read_setting_options(args))
    return create_settings(CommandSettings, config)


def read_setting_options(args: Namespace) -> dict[str, DeferredConfig]:
    """Return the settings that are options of a command, by name; their types are those of the settings."""
    options = {
        name.removeprefix("Colophon."): value for name, value in vars(args).items() if name.startswith("Colophon.")
    }
    return {
        name: DeferredConfigList(value) if isinstance(value, list) else DeferredConfigString(value)
        for name, value in options.items()
    }


def require_existing_store(settings: Settings) -> StorageChoice:
    """Return the store of the settings. Raises NotFound if it is a file that does not exist, InvalidConfiguration."""
    store = settings.choose_store()
    path = store.options.get("path") if store.provider == "sqlite" else None
    if path is not None and not Path(path).exists():
        raise NotFound("catalog", str(path))
    return store


def _read_config_files(chosen: str) -> Config:
    """Read Jupyter's config file, then the chosen one, or else those of the server and of this command."""
    if chosen and not Path(chosen).is_file():
        raise InvalidConfiguration(f"config file {chosen} not found")
    loader = Application()
    loader.raise_config_file_errors = True
    for file in (_JUPYTER_CONFIG, *([chosen] if chosen else _CONFIG_FILES)):
        folders = [str(Path(file).parent)] if file is chosen else jupyter_config_path()
        try:
            loader.load_config_file(Path(file).name, path=folders)
        except Exception as error:  # noqa: BLE001  a config file is a program, which may raise anything
            raise InvalidConfiguration(f"{file} cannot be read: {error}") from None
    return loader.config
