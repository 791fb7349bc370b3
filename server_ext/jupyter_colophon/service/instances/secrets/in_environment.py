"""Secrets that the server's environment has, such as those of Kubernetes: documents hold the variables' names alone."""

import os
import re
from typing import Any

from jupyter_colophon.core.errors import IllegalSecret, SecretUnavailable

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)")


class InEnvironment:
    """A secret is written as `$NAME` or `${NAME}`; no other is taken, so that none comes into a file."""

    name = "env"
    is_named_by_people = True

    def keep(self, place: str, value: Any) -> str | None:
        """The variable's name. Raises IllegalSecret for anything else than `$NAME`."""
        found = _VARIABLE.fullmatch(value) if isinstance(value, str) else None
        if found is None:
            raise IllegalSecret("secrets come from the environment here: write a variable as $NAME")
        return found[1] or found[2]

    def fetch(self, key: str) -> Any:
        """What the variable says now. Raises SecretUnavailable where it is not set."""
        try:
            return os.environ[key]
        except KeyError:
            raise SecretUnavailable(f"the environment has no variable {key}") from None

    def forget(self, key: str) -> None:
        """The environment is not ours."""
