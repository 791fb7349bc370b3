"""The result of one check of the doctor."""

from typing import NamedTuple


class CheckResult(NamedTuple):
    """A check with its status, `ok`, `warning` or `bad`, and advice."""

    check: str
    status: str
    detail: str
    advice: str = ""
