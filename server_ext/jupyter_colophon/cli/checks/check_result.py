"""What the doctor tells of one thing."""

from typing import NamedTuple


class Told(NamedTuple):
    """One thing that was looked at: `ok`, `warning` or `bad`, and what to do about it."""

    check: str
    status: str
    detail: str
    advice: str = ""
