"""What all commands share: settings, `--json`, errors as one line, exit codes (docs/cli.md)."""

import json
import logging
import os
import sys
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr
from copy import deepcopy
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_core.paths import jupyter_config_path
from traitlets import Bool, TraitError, Unicode, default
from traitlets.config import Application, Config

from jupyter_colophon.cli import option_errors
from jupyter_colophon.client.progress_line import Line
from jupyter_colophon.core.errors import InvalidConfiguration, InvalidQuery, MetadataError, NotFound
from jupyter_colophon.settings import Settings

# Loaded when a command opens the store: `--help` and wrong usage need none of it.
if TYPE_CHECKING:
    from jupyter_colophon.maintenance import Keeper

FINE, REFUSED, WRONG_USAGE = 0, 1, 2
#: Besides Jupyter's own, those of a server, where `c.Colophon` usually is.
_COMMON_CONFIG = "jupyter_config"
_CONFIG_FILES = ("jupyter_server_config", "jupyter_jupyter_colophon_config", "jupyter_colophon_config")
#: Options of everything that traitlets starts.
_ALWAYS = ("h", "help", "help-all", "V", "version")


class _WrongValue(Exception):
    """A setting or an option has a value that it cannot have."""


class Colophon(Settings):
    """The settings, under the name that they have in a server."""

    def is_anothers(self, name: str) -> bool:
        """Whether it is for the server's extension."""
        # A server is slow to load, and nearly nobody sets these.
        from jupyter_server.extension.application import ExtensionApp

        return name in ExtensionApp.class_traits(config=True)


class Configured(Application):
    """Reads the settings from Jupyter's config files and the command line, as Jupyter's own applications do.

    Those begin by loading asyncio, which takes longer than many a command here.
    """

    classes: list[type] = [Colophon]
    aliases: dict[str, str] = {
        "config": "Configured.config_file",
        "database": "Colophon.database",
        "storage-provider": "Colophon.storage_provider",
    }
    flags: dict[str, Any] = {"debug": ({"Application": {"log_level": logging.DEBUG}}, "Log everything.")}

    config_file = Unicode(config=True, help="This config file, and no other of ours.")

    @default("version")
    def _default_version(self) -> str:
        return version("jupyter-colophon")

    @default("log_level")
    def _default_log_level(self) -> int:
        return logging.WARNING

    def initialize(self, argv: list[str] | None = None) -> None:
        """Read the command line, then the config files, which it outdoes."""
        try:
            self.parse_command_line(argv)
            said = deepcopy(self.config)
            if self.subapp is None:
                self.load_settings()
                self.update_config(said)
        except _WrongValue as error:
            tell(str(error))
            sys.exit(WRONG_USAGE)

    def update_config(self, config: Config) -> None:
        """Take these settings in. Raises what traitlets does not log in words of its own."""
        try:
            super().update_config(config)
        except TraitError as error:
            raise _WrongValue(option_errors.told(str(error), self._classes_inc_parents(), self.aliases)) from None

    def load_settings(self) -> None:
        """Load Jupyter's config, the server's, and ours."""
        if self.config_file and not Path(self.config_file).is_file():
            tell(f"there is no config file {self.config_file}")
            sys.exit(WRONG_USAGE)
        self.raise_config_file_errors = True
        asked = Path(self.config_file)
        files = [asked] if self.config_file else [Path(name) for name in _CONFIG_FILES]
        for file in (Path(_COMMON_CONFIG), *files):
            folders = [str(asked.parent)] if file is asked else jupyter_config_path()
            try:
                self.load_config_file(file.name, path=folders)
            except Exception as error:  # noqa: BLE001  a config file is anybody's program
                tell(f"{file} cannot be read: {error}")
                sys.exit(WRONG_USAGE)

    def parse_command_line(self, argv: list[str] | None = None) -> None:
        """As traitlets does; what argparse says of wrong usage is cut to one line."""
        argv = sys.argv[1:] if argv is None else argv
        if self.subcommands:
            argv = _command_first(argv, self.subcommands)
            if argv and argv[0] in self.subcommands:
                super().parse_command_line(argv)
                return
        unknown = next((name for name in _options(argv) if not self._knows(name.lstrip("-"))), None)
        if unknown is not None:
            tell(f"there is no option {unknown}")
            sys.exit(WRONG_USAGE)
        twice = option_errors.twice(
            [name.lstrip("-") for name in _options(argv)], self._classes_inc_parents(), self.aliases
        )
        if twice:
            tell(f"{twice} is told twice")
            sys.exit(WRONG_USAGE)
        self.log.debug("made before stderr is another one")
        said = StringIO()
        try:
            with redirect_stderr(said):
                super().parse_command_line(argv)
        except SystemExit as ended:
            # Nothing is said here where the log has said it.
            if ended.code == WRONG_USAGE and said.getvalue():
                tell(option_errors.usage(said.getvalue().strip().rpartition("error: ")[2], self.aliases))
            raise

    def exit(self, exit_status: int | str | None = 0) -> None:
        """What traitlets ends with 1 is wrong usage."""
        sys.exit(WRONG_USAGE if exit_status else FINE)

    def _knows(self, option: str) -> bool:
        section, dot, name = option.rpartition(".")
        if not dot:
            return option in (*_ALWAYS, *self.flags, *self.aliases)
        kinds = {kind.__name__: kind for kind in self._classes_inc_parents()}
        return section in kinds and name in kinds[section].class_trait_names(config=True)


class Command(Configured):
    """One command. `work` does it and returns the exit code."""

    flags: dict[str, Any] = Configured.flags | {"json": ({"Command": {"json": True}}, "Answer in JSON.")}
    #: The names of what has to follow the command.
    arguments: tuple[str, ...] = ()
    #: The name of what follows these once or more; empty where nothing does.
    more = ""
    #: Whether there is at least one of these.
    needs_more = True

    json = Bool(False, config=True, help="Answer in JSON.")

    def start(self) -> None:
        """Do it, and exit."""
        sys.exit(self._worked())

    def work(self) -> int:
        """Do it. May raise MetadataError, OSError."""
        raise NotImplementedError

    @property
    def asked(self) -> Colophon:
        """The settings."""
        return Colophon(parent=self)

    @property
    def debugs(self) -> bool:
        """Whether somebody said `--debug`: the logger itself lets everything pass."""
        return self.log_level in (logging.DEBUG, "DEBUG")

    def overlay(self) -> Path | None:
        """The file that adds to the registry; None where there is none. Raises InvalidConfiguration where it cannot be read.

        Without its types, what is derived of their entities would be taken for too much.
        """
        from jupyter_colophon.service.registry_files import readable

        return readable(self.asked.overlay())

    def hush(self) -> None:
        """Errors are told as one line: what servers log beside them would make more of it, unless that is wanted."""
        if not self.debugs:
            logging.getLogger("jupyter_colophon").addHandler(logging.NullHandler())

    @contextmanager
    def keeper(self, *, new: bool = False) -> Iterator["Keeper"]:
        """The store, open. Unless it may be `new`, it has to be there: raises NotFound, NoCatalog."""
        from jupyter_colophon.maintenance import open_keeper

        store = self.asked.store()
        path = store.options.get("path") if store.provider == "sqlite" else None
        if path is not None and not new and not Path(path).exists():
            raise NotFound("catalog", path)
        self.hush()
        overlay = self.overlay()
        with Line(sys.stderr) as line:
            keeper = open_keeper(store, line.show, new=new, overlay=overlay)
            try:
                yield keeper
            finally:
                keeper.close()

    def answer(self, document: Mapping[str, Any], text: str) -> None:
        """Say the result on stdout, as people or as programs read it."""
        print(json.dumps(document, ensure_ascii=False) if self.json else text)

    def _worked(self) -> int:
        options = [text for text in self.extra_args if text.startswith("-")]
        told, wants = len(self.extra_args), len(self.arguments)
        if options or (told < wants + self.needs_more if self.more else told != wants):
            wanted = " ".join([*self.arguments, *([f"{self.more} …"] if self.more else [])])
            said = f"there is no option {options[0]}" if options else "this command is called so"
            return self.told(f"{said}: {self.name.replace('-', ' ')} {wanted}".rstrip(), WRONG_USAGE)
        try:
            return self.work()
        except InvalidConfiguration as error:
            return self.told(error.detail, WRONG_USAGE)
        except MetadataError as error:
            return self.told(_sentence(error), WRONG_USAGE if _is_of_option(error) else REFUSED)
        except BrokenPipeError:
            raise
        except OSError as error:
            what = f"{error.filename}: " if error.filename else ""
            return self.told(f"{what}{error.strerror or error}", REFUSED)
        except Exception as error:
            if self.debugs:
                raise
            return self.told(f"a fault of ours ({type(error).__name__}): --debug shows where", REFUSED)

    def told(self, text: str, status: int) -> int:
        """Say what is wrong in a line on stderr; returns the exit code."""
        tell(text)
        return status


def called(app: Application, argv: list[str] | None = None) -> None:
    """Have an application do what a command line says, and exit."""
    try:
        try:
            app.initialize(argv)
            app.start()
        finally:
            # What is short enough to wait in the buffer meets a closed pipe here, and not when Python ends.
            sys.stdout.flush()
    except KeyboardInterrupt:
        sys.exit(REFUSED)
    except BrokenPipeError:
        # Whoever reads us has read enough; nobody is left to be told of it at the end either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FINE)


def tell(text: str) -> None:
    """Say one line on stderr."""
    print(f"jupyter colophon: {' '.join(text.split())}", file=sys.stderr)


def _is_of_option(error: MetadataError) -> bool:
    return isinstance(error, InvalidQuery) and error.parameter.startswith("--")


def _sentence(error: MetadataError) -> str:
    """The error, with the first of the places that are wrong."""
    first = next(iter(error.problems), None)
    if first is None:
        return error.detail
    return f"{error.detail}; {first.pointer}: {first.message}" if first.pointer else f"{error.detail}; {first.message}"


def _options(argv: list[str]) -> Iterator[str]:
    """The names of the options, with their dashes."""
    for text in argv:
        if text == "--":
            return
        if text.startswith("-") and text != "-":
            yield text.partition("=")[0]


def _command_first(argv: list[str], commands: Container[str]) -> list[str]:
    """The same where the command comes after options that are its own."""
    at = next((at for at, text in enumerate(argv) if not text.startswith("-")), None)
    if at is None or argv[at] not in commands:
        return argv
    return [argv[at], *argv[:at], *argv[at + 1 :]]
