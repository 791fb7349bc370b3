"""Choose the media type of a response by the header `Accept` (RFC 9110, section 12.5.1)."""

import re
from collections.abc import Sequence
from typing import Final, TypeVar

T = TypeVar("T", bound=str)
_QUALITY: Final = re.compile(r"q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)")


def choose_media_type(accept: str, offered: Sequence[T]) -> T:
    """Return the offered media type that the header prefers; the first one if it prefers none or accepts none."""
    accepted = dict(_parse_range(part) for part in accept.lower().split(",") if part.strip())
    return max(offered, key=lambda media_type: _find_quality(accepted, media_type))


def _parse_range(text: str) -> tuple[str, float]:
    media_range, *parameters = (part.strip() for part in text.split(";"))
    qualities = (match for parameter in parameters if (match := _QUALITY.fullmatch(parameter)))
    match = next(qualities, None)
    return media_range, 1.0 if match is None else float(match[1])


def _find_quality(accepted: dict[str, float], media_type: str) -> float:
    """Return the quality of the most specific range of a media type."""
    ranges = (media_type, f"{media_type.partition('/')[0]}/*", "*/*")
    return next((accepted[media_range] for media_range in ranges if media_range in accepted), 0.0)
