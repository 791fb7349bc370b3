"""Parameters of `/colophon/v3`; words are taken in any letter case."""

from typing import Final

from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.operations.parameter import Parameter, time

SCOPES: Final = {"user": ("USER",), "system": ("SYSTEM",), "all": ("USER", "SYSTEM"), "": ()}


def word(name: str, says: str, *words: str, default: str = "") -> Parameter[str]:
    """One of some words, in any letter case."""

    def read(told: str) -> str:
        if told.casefold() not in words:
            raise InvalidQuery(f"one of {', '.join(words)}", name)
        return told.casefold()

    return Parameter(name, says, {"type": "string", "enum": list(words), "default": default}, read, default)


SCOPE: Final = word("scope", "Whose metadata; without it what people wrote.", "user", "system", "all")
FORMAT: Final = word(
    "responseFormat", "The release of CDAP whose form the answer has; without it the one of 3.2.", "v5", "v6"
)
AS_OF: Final = time("asOf", "As it was then.")
