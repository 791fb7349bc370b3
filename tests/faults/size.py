"""How big the fault suite is: small in `make test`, full in `make long`."""

import os

IS_FULL = os.environ.get("COLOPHON_TEST_SIZE") == "full"


def sized(small: int, full: int) -> int:
    """One of the two."""
    return full if IS_FULL else small
