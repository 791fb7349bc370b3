"""How fields of dataclasses are members of documents: marks for annotations, read by `codec`.

A field without a mark is a member of its name in camelCase, with its value.
"""

from dataclasses import dataclass
from typing import Annotated, Final


@dataclass(frozen=True, slots=True)
class Member:
    """A member that differs from its field.

    `name` is its name in documents of the API; "" is that of the field in camelCase. With `omit_default` it is left out
    while it has the default value. A `hidden` field is neither written nor read.
    """

    name: str = ""
    omit_default: bool = False
    hidden: bool = False


class TimeMark:
    """Marks ms since 1970, which documents of the API have as ISO 8601."""


#: A time in ms since 1970.
Time = Annotated[int, TimeMark]
OMIT_DEFAULT: Final = Member(omit_default=True)
HIDDEN: Final = Member(hidden=True)
