"""Moments as people read them."""

from datetime import datetime


def clock(moment: str) -> str:
    """An ISO 8601 moment in local time, to the second; what is none stays as it is."""
    try:
        return datetime.fromisoformat(moment).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except ValueError:
        return moment


def interval(start: str | None, end: str | None) -> str:
    """What lies between two moments, in words that follow a noun; either may be open, and with both there are none."""
    if start and end:
        return f"between {clock(start)} and {clock(end)}"
    if start:
        return f"since {clock(start)}"
    return f"until {clock(end)}" if end else ""
