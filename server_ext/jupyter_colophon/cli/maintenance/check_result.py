"""The result of a check of `doctor`."""

from typing import NamedTuple


class CheckResult(NamedTuple):
    """The result of a check. `status` is `ok`, `warning` or `bad`; `advice` is what to do about it."""

    check: str
    status: str
    detail: str
    advice: str = ""
