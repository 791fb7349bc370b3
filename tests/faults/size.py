"""The size of the fault suite: small in `make test`, full in `make long`."""

import os
from typing import TypeVar

Size = TypeVar("Size")

IS_FULL = os.environ.get("COLOPHON_TEST_SIZE") == "full"


def sized(small: Size, full: Size) -> Size:
    """Return what the present size has: a number, or a list of cases."""
    return full if IS_FULL else small
