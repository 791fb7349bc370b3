"""The size of the fault suite: small in `make test`, full in `make long`."""

import os

IS_FULL = os.environ.get("COLOPHON_TEST_SIZE") == "full"


def sized(small: int, full: int) -> int:
    """Return the number for the present size."""
    return full if IS_FULL else small
