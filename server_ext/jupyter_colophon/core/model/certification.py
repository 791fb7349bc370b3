"""Index the last day of a certification as words, and list those of days: search finds what is certified today.

Whether a certification is valid is decided by each search, so nothing is written when one expires.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.model.vocabulary import NEVER
from jupyter_colophon.core.search.time_words import TimeInterval, cover_interval_by_words, list_time_words
from jupyter_colophon.core.time_format import DAY_MS, parse_time_to_ms

CERTIFICATION: Final = "certification"
#: The filter of search.
CERTIFIED: Final = "certified"
#: A certification is about to expire during its last days.
WARNING_DAYS: Final = 14
Validity = Literal["yes", "expiring", "expired"]

_KEY: Final = "certified-until"
#: The schema allows days of this century only.
_FIRST_MS: Final = 946_684_800_000
_LAST_MS: Final = 4_102_444_800_000


@dataclass(frozen=True, slots=True)
class Certification:
    """A certification as a hit shows it: the name of who certified, the last day if it expires, and the note."""

    by: str
    until: str | None
    note: str
    expired: bool


def list_certification_words(until: str) -> tuple[str, ...]:
    """Return the words for the last day of a certification: the day itself, or `never`."""
    if until == NEVER:
        return (f"{_KEY}:{NEVER}",)
    try:
        return list_time_words(_KEY, parse_time_to_ms(until, 0, "until"))
    except InvalidQuery:
        # The format accepts days that no calendar has.
        return ()


def list_words_of_validity(validity: str, now_ms: int) -> tuple[str, ...]:
    """Return the words of which a certification has one if it is valid, about to expire, or expired."""
    today = now_ms - now_ms % DAY_MS
    begin, end = {
        "yes": (today, _LAST_MS),
        "expiring": (today, today + (WARNING_DAYS + 1) * DAY_MS),
        "expired": (_FIRST_MS, today),
    }[validity]
    words = cover_interval_by_words(_KEY, TimeInterval(begin, end)).full_periods
    return (*words, f"{_KEY}:{NEVER}") if validity == "yes" else words


def is_certification_valid(until: str | None, now_ms: int) -> bool:
    """Return whether a certification with this last day is valid: the day is included, in UTC."""
    if until in (None, NEVER):
        return True
    try:
        return parse_time_to_ms(until, now_ms, "until") + DAY_MS > now_ms
    except InvalidQuery:
        return False


def is_certified(value: Mapping[str, object] | None, now_ms: int) -> bool:
    """Return whether a value of the aspect certifies its entity."""
    if value is None:
        return False
    until = value.get("until")
    return is_certification_valid(until if isinstance(until, str) else None, now_ms)
