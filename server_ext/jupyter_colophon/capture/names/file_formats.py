"""The format of a file, detected by its name or its first bytes."""

import re
from pathlib import Path

_EXTENSIONS = {
    "parquet": "parquet",
    "pq": "parquet",
    "parq": "parquet",
    "orc": "orc",
    "avro": "avro",
    "csv": "csv",
    "tsv": "csv",
    "json": "json",
    "jsonl": "json",
    "ndjson": "json",
}
_MAGIC = {b"PAR1": "parquet", b"ORC": "orc", b"Obj\x01": "avro"}

TEXTS = frozenset({"csv", "json"})
"""Text formats, whose files may be compressed."""

COMPRESSED = frozenset({"gz", "bz2", "deflate"})
"""Compressions that Spark always supports, by file extension."""

_OTHER_COMPRESSIONS = frozenset({"zip", "xz", "zst", "lz4", "snappy", "7z", "br"})

PART = re.compile(r"part[-._]?\d+([-._].*)?|\d{6}_\d+(_copy_\d+)?(\..*)?", re.IGNORECASE)
"""A part file of Spark, Hadoop, pyarrow, Dask or Hive."""

PARTITION = re.compile(r"[^=/]+=[^/]*")
"""The folder of a partition."""


def detect_format_from_name(name: str) -> str | None:
    """Return the format for a file name; None if unknown."""
    words = name.lower().split(".")[1:]
    if words and words[-1] in COMPRESSED:
        format_ = _EXTENSIONS.get(words[-2]) if len(words) > 1 else None
        return format_ if format_ in TEXTS else None
    return _EXTENSIONS.get(words[-1]) if words else None


def find_unsupported_compression(name: str) -> str | None:
    """Return the compression of a text file that Spark cannot read; None for other files."""
    words = name.lower().split(".")[1:]
    packed = len(words) > 1 and words[-1] in _OTHER_COMPRESSIONS and _EXTENSIONS.get(words[-2]) in TEXTS
    return words[-1] if packed else None


def detect_format_from_bytes(path: Path) -> str | None:
    """Return the format for the first bytes of a file; None if unknown. Raises OSError."""
    with path.open("rb") as file:
        start = file.read(4)
    return next((format_ for magic, format_ in _MAGIC.items() if start.startswith(magic)), None)
