"""Declare how fields of dataclasses become members of documents, in annotations read by `codec`.

A field without a declaration is a member with its name in camelCase and its value.
"""

from dataclasses import dataclass
from typing import Annotated, Final


@dataclass(frozen=True, slots=True)
class Member:
    """A member that differs from its field.

    `name` is its name in documents of the API; "" is the field's name in camelCase. With `omit_default` it is omitted
    if it has the default value. A `hidden` field is neither written nor read.
    """

    name: str = ""
    omit_default: bool = False
    hidden: bool = False


class TimeMarker:
    """Marks a time in ms since 1970, which is ISO 8601 in documents of the API."""


#: A time in ms since 1970.
Time = Annotated[int, TimeMarker]
OMIT_DEFAULT: Final = Member(omit_default=True)
HIDDEN: Final = Member(hidden=True)
