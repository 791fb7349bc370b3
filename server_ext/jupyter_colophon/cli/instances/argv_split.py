"""Parts a command line into what the settings are and what the command is told.

A property of a schema may be called as a setting is. So `create` and `update` take settings only before the name of the
schemaspace, or by their long names (`--Colophon.database=…`), which no property has.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

#: Settings that are an option of every command of ours.
SETTINGS = ("config", "database", "storage-provider")
_LOG_LEVEL, _DEBUG, _URL = "--log-level", "--debug", "--url"
_MAKES_OPTIONS = ("create", "update", "install")


@dataclass(slots=True)
class Parted:
    """`words` begin with the command and the schemaspace; `settings` are options for traitlets, each one word."""

    words: list[str] = field(default_factory=list)
    settings: list[str] = field(default_factory=list)
    log_level: str = "WARNING"
    #: The server whose instances are meant; "" for those of this machine, None where nothing is said.
    url: str | None = None


def parted(argv: Sequence[str]) -> Parted:
    """Part a command line."""
    found, names = Parted(), 0
    words = iter(argv)
    for word in words:
        option, equals, value = word.partition("=")
        is_open = names < 2 or found.words[0] not in _MAKES_OPTIONS
        if option == _DEBUG:
            found.log_level = "DEBUG"
        elif option == _LOG_LEVEL:
            found.log_level = value if equals else next(words, "")
        elif option == _URL and is_open:
            found.url = value if equals else next(words, "")
        elif _is_long(option) or (is_open and option[2:] in SETTINGS and option.startswith("--")):
            found.settings.append(word if equals else f"{option}={next(words, '')}")
        else:
            names += not word.startswith("-")
            found.words.append(word)
    return found


def _is_long(option: str) -> bool:
    section, dot, name = option.removeprefix("--").partition(".")
    return option.startswith("--") and bool(dot) and section[:1].isupper() and name.isidentifier()
