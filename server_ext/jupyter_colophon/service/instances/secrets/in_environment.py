"""Secrets in the server's environment, such as those of Kubernetes; documents contain only names of variables."""

import os
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

from jupyter_colophon.core.errors import InvalidSecret, SecretUnavailable, quote_and_truncate_text

_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)")


class EnvironmentSecretStore:
    """A secret is written as `$NAME` or `${NAME}`; values are refused, so that none gets into a file.

    `allowed` are globs of the variables that may be read: a reference must not reach the server's own credentials.
    """

    name = "env"
    is_named_by_people = True

    def __init__(self, allowed: Sequence[str]) -> None:
        self._allowed = tuple(allowed)

    def keep(self, place: str, value: Any) -> str | None:
        """Return the variable's name. Raises InvalidSecret unless the value is `$NAME` and the variable is allowed."""
        match = _VARIABLE.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            raise InvalidSecret(
                "the setting c.Colophon.secret_store is env: write the name of an environment variable, such as $NAME"
            )
        name = match[1] or match[2]
        self.require_allowed_variable(name)
        return name

    def require_allowed_variable(self, key: str) -> None:
        """Raise InvalidSecret for a variable that the settings do not allow."""
        if not any(fnmatchcase(key, glob) for glob in self._allowed):
            raise InvalidSecret(_format_variable_refusal(key))

    def fetch(self, key: str) -> Any:
        """Return the variable's value. Raises SecretUnavailable if it is not set, or not allowed."""
        try:
            self.require_allowed_variable(key)
        except InvalidSecret as error:
            raise SecretUnavailable(error.detail) from None
        try:
            return os.environ[key]
        except KeyError:
            raise SecretUnavailable(f"the environment has no variable {key}") from None

    def forget(self, key: str) -> None:
        """Do nothing: the environment is not changed."""


def _format_variable_refusal(variable: str) -> str:
    return f"the setting c.Colophon.secret_env_variables does not allow the environment variable {quote_and_truncate_text(variable)}"
