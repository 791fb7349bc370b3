"""Values of rows: those of data sources are converted to a few types, which are the same in a sample and on Spark."""

import base64
import math
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

_SCALARS: Final = (float, bool, date, type(None))
_DATE, _TIMESTAMP, _FLOAT, _MAPPING = "$date", "$timestamp", "$float", "$mapping"
#: The limit of the whole numbers that Spark has.
_INTEGER_MAX: Final = 2**63 - 1


def normalize_value(value: Any) -> Any:
    """Return a value as text, number, boolean, date, timestamp, list, mapping or null.

    Decimals and whole numbers of more than 64 bits become floating-point numbers, bytes Base64, lone surrogates `?` as in
    Spark, timestamps lose their zone, and others become text.
    """
    if isinstance(value, str):
        return normalize_text(value)
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, _SCALARS):
        return value
    if isinstance(value, int):
        return _normalize_integer(value)
    if isinstance(value, Mapping):
        return normalize_row(value)
    if isinstance(value, (list, tuple)):
        return [normalize_value(item) for item in value]
    return _convert_other_value(value)


def normalize_row(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a row with normalized names and values."""
    return {normalize_text(str(name)): normalize_value(value) for name, value in row.items()}


def normalize_text(text: str) -> str:
    """Return a text with `?` for each lone surrogate, which no encoding has."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def format_json_value(value: Any) -> Any:
    """Return a value for JSON: dates and timestamps as ISO 8601, and numbers that JSON lacks as text."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): format_json_value(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [format_json_value(item) for item in value]
    return value


def encode_value(value: Any) -> Any:
    """Return a normalized value as JSON from which `decode_value` restores it."""
    if isinstance(value, datetime):
        return {_TIMESTAMP: value.isoformat()}
    if isinstance(value, date):
        return {_DATE: value.isoformat()}
    if isinstance(value, float) and not math.isfinite(value):
        return {_FLOAT: str(value)}
    if isinstance(value, Mapping):
        encoded = {name: encode_value(item) for name, item in value.items()}
        # A mapping of the source may look like an encoded value.
        return {_MAPPING: encoded} if len(encoded) == 1 and not _RESERVED.isdisjoint(encoded) else encoded
    return [encode_value(item) for item in value] if isinstance(value, list) else value


def decode_value(value: Any) -> Any:
    """Return the value that `encode_value` has encoded."""
    if isinstance(value, Mapping):
        if len(value) == 1:
            name, item = next(iter(value.items()))
            if name == _MAPPING and isinstance(item, Mapping):
                return {member: decode_value(inner) for member, inner in item.items()}
            if name in _DECODERS and isinstance(item, str):
                return _DECODERS[name](item)
        return {name: decode_value(item) for name, item in value.items()}
    return [decode_value(item) for item in value] if isinstance(value, list) else value


_DECODERS: Final[Mapping[str, Callable[[str], Any]]] = {
    _TIMESTAMP: datetime.fromisoformat,
    _DATE: date.fromisoformat,
    _FLOAT: float,
}
_RESERVED: Final = frozenset({*_DECODERS, _MAPPING})


def _normalize_integer(number: int) -> float:
    if -_INTEGER_MAX <= number <= _INTEGER_MAX:
        return number
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _convert_other_value(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode()
    # Arrays and scalars of numpy, which pandas has.
    return normalize_value(value.tolist()) if hasattr(value, "tolist") else normalize_text(str(value))
