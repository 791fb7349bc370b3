"""The result of a check of `doctor`."""

from typing import Final, NamedTuple

#: Less free space than this is a warning.
FREE_LEAST: Final = 256 * 1024 * 1024


class CheckResult(NamedTuple):
    """The result of a check. `status` is `ok`, `warning` or `bad`; `advice` is what to do about it."""

    check: str
    status: str
    detail: str
    advice: str = ""


def format_size(count: int) -> str:
    """Return a number of bytes in a fitting unit."""
    size = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            break
        size /= 1024
    return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
