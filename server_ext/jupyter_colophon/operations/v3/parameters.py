"""Parameters of `/colophon/v3`. Their words may be written in any letter case."""

from dataclasses import replace
from typing import Final

from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.operations.parameter import Parameter, declare_count, declare_time

SCOPES: Final = {"user": ("USER",), "system": ("SYSTEM",), "all": ("USER", "SYSTEM"), "": ()}


def declare_choice_in_any_case(name: str, description: str, *choices: str) -> Parameter[str]:
    """Declare a parameter that is one of some words, in any letter case; the empty text where it is not sent."""

    def read(sent: str) -> str:
        if sent.casefold() not in choices:
            raise InvalidQuery(f"must be one of {', '.join(choices)}", name)
        return sent.casefold()

    return Parameter(name, description, {"type": "string", "enum": list(choices)}, read, "")


def declare_optional_text(name: str, description: str) -> Parameter[str | None]:
    """Declare a text that is None where it is not sent."""
    return Parameter(name, description, {"type": "string"}, str, None)


def declare_optional_count(name: str, description: str, *, maximum: int) -> Parameter[int]:
    """Declare a number of items, 1 or more, that is 0 where it is not sent."""
    parameter = declare_count(name, description, default=0, minimum=1, maximum=maximum)
    return replace(parameter, schema={"type": "integer", "minimum": 1})


SCOPE: Final = declare_choice_in_any_case(
    "scope", "The scope of the metadata; by default, USER.", "user", "system", "all"
)
FORMAT: Final = declare_choice_in_any_case(
    "responseFormat", "The release of CDAP whose response format is used; by default, 3.2.", "v5", "v6"
)
AS_OF: Final = declare_time("asOf", "Return the metadata as of this time.")
TRUNCATED: Final = {"X-Colophon-Truncated": "true"}
