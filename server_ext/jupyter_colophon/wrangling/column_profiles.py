"""Profiles of columns: counts, extremes, frequent values and histograms."""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from jupyter_colophon.wrangling.column_types import combine_types, get_type
from jupyter_colophon.wrangling.normalization import format_json_value
from jupyter_colophon.wrangling.result_columns import detect_columns
from jupyter_colophon.wrangling.value_patterns import detect_text_type

_TOP: Final = 10
_BINS: Final = 10
#: How many different texts determine what a column looks like, and how many characters of a value are shown.
_DETECTED: Final = 200
_SHOWN: Final = 200
_ORDERED: Final = frozenset({"string", "integer", "double", "date", "timestamp", "boolean"})


def profile_columns(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the profile of each column."""
    return [{"name": name, **_profile_column([row.get(name) for row in rows])} for name in detect_columns(rows)]


def list_texts(values: Sequence[Any]) -> list[str]:
    """Return the first different texts that are not empty, as far as they determine what a column looks like."""
    return [*dict.fromkeys(value for value in values if isinstance(value, str) and value.strip())][:_DETECTED]


def _profile_column(values: Sequence[Any]) -> dict[str, Any]:
    present = [value for value in values if value is not None]
    type_ = combine_types({get_type(value) for value in values})
    counts = Counter(_make_key(value) for value in present)
    examples = {_make_key(value): value for value in present}
    profile: dict[str, Any] = {
        "type": type_,
        "count": len(values),
        "nulls": len(values) - len(present),
        "empty": sum(isinstance(value, str) and not value.strip() for value in present),
        "distinct": len(counts),
        "top": [{"value": _show(examples[key]), "count": count} for key, count in counts.most_common(_TOP)],
    }
    profile["detectedType"] = detect_text_type(list_texts(present)) if type_ == "string" else type_
    if type_ in _ORDERED and present and len({get_type(value) for value in present}) == 1:
        profile |= {"min": _show(min(present)), "max": _show(max(present))}
    numbers = [value for value in present if type_ in ("integer", "double") and math.isfinite(value)]
    if numbers:
        profile |= {"min": min(numbers), "max": max(numbers), "mean": _compute_mean(numbers)}
        profile["histogram"] = _build_histogram(numbers)
    return profile


def _make_key(value: Any) -> str:
    return json.dumps(format_json_value(value), sort_keys=True)


def _show(value: Any) -> Any:
    shown = format_json_value(value)
    return shown[:_SHOWN] if isinstance(shown, str) else shown


def _compute_mean(numbers: Sequence[float]) -> float | None:
    try:
        mean = math.fsum(numbers) / len(numbers)
    except OverflowError:
        return None
    return mean if math.isfinite(mean) else None


def _build_histogram(numbers: Sequence[float]) -> list[dict[str, Any]]:
    try:
        low, high = float(min(numbers)), float(max(numbers))
    except OverflowError:
        return []
    width = (high - low) / _BINS
    if not math.isfinite(width):
        return []
    if not width:
        return [{"from": low, "to": high, "count": len(numbers)}]
    counts = Counter(min(int((number - low) / width), _BINS - 1) for number in numbers)
    return [
        {"from": low + at * width, "to": high if at == _BINS - 1 else low + (at + 1) * width, "count": counts[at]}
        for at in range(_BINS)
    ]
