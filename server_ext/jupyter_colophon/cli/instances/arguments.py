"""What stands after the schemaspace: options as `--name=value` or `--name value`, in any order."""

from collections.abc import Sequence

_HELP = ("--help", "-h")


class Arguments:
    """Words of a command line, taken one option at a time; what nobody takes is `rest`."""

    def __init__(self, words: Sequence[str]) -> None:
        self.rest = list(words)

    @property
    def wants_help(self) -> bool:
        """Whether help is asked for, anywhere."""
        return any(word in _HELP for word in self.rest)

    def has(self, name: str) -> bool:
        """Whether the option `--name` is there."""
        return self._at(name) is not None

    def value(self, name: str) -> str | None:
        """Take an option with its value: None where it is not there, "" where it has no value.

        The next word is its value unless it begins with `--`. An option that comes twice is taken once, and stays in `rest`.
        """
        at = self._at(name)
        if at is None:
            return None
        _, equals, value = self.rest.pop(at).partition("=")
        if not equals and at < len(self.rest) and not self.rest[at].startswith("--"):
            return self.rest.pop(at)
        return value

    def flag(self, name: str) -> bool:
        """Take an option that has no value, or `=true` and `=false`."""
        at = self._at(name)
        if at is None:
            return False
        _, equals, value = self.rest[at].partition("=")
        if equals and value.lower() not in ("true", "1", "false", "0"):
            return False
        del self.rest[at]
        return not equals or value.lower() in ("true", "1")

    def _at(self, name: str) -> int | None:
        option = f"--{name}"
        found = (at for at in range(len(self.rest) - 1, -1, -1) if self.rest[at].partition("=")[0] == option)
        return next(found, None)
