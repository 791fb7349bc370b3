"""Values of rows: those of data sources are converted to a few types, which are the same in a sample and on Spark."""

import base64
import math
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

_SCALARS: Final = (str, int, float, bool, date, type(None))
_DATE, _TIMESTAMP, _FLOAT = "$date", "$timestamp", "$float"


def normalize_value(value: Any) -> Any:
    """Return a value as text, number, boolean, date, timestamp, list, mapping or null.

    Decimals become floating-point numbers, bytes Base64, timestamps lose their zone, and others become text.
    """
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, _SCALARS):
        return value
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode()
    if isinstance(value, Mapping):
        return {str(name): normalize_value(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [normalize_value(item) for item in value]
    # Arrays and scalars of numpy, which pandas has.
    return normalize_value(value.tolist()) if hasattr(value, "tolist") else str(value)


def normalize_row(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a row with normalized values."""
    return {str(name): normalize_value(value) for name, value in row.items()}


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
        return {name: encode_value(item) for name, item in value.items()}
    return [encode_value(item) for item in value] if isinstance(value, list) else value


def decode_value(value: Any) -> Any:
    """Return the value that `encode_value` has encoded."""
    if isinstance(value, Mapping):
        if len(value) == 1:
            name, item = next(iter(value.items()))
            decode = _DECODERS.get(name)
            if decode is not None and isinstance(item, str):
                return decode(item)
        return {name: decode_value(item) for name, item in value.items()}
    return [decode_value(item) for item in value] if isinstance(value, list) else value


_DECODERS: Final[Mapping[str, Callable[[str], Any]]] = {
    _TIMESTAMP: datetime.fromisoformat,
    _DATE: date.fromisoformat,
    _FLOAT: float,
}
