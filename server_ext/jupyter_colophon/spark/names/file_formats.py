"""The format of a file, told by its name, or by its first bytes where it has no telling one."""

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
"""Formats that are read as text, and may be compressed as a whole."""

COMPRESSED = frozenset({"gz", "bz2", "deflate"})
"""Compressions that Spark reads everywhere, told by the last part of the name."""

_OTHER_COMPRESSIONS = frozenset({"zip", "xz", "zst", "lz4", "snappy", "7z", "br"})

PART = re.compile(r"part[-._]?\d+([-._].*)?|\d{6}_\d+(_copy_\d+)?(\..*)?", re.IGNORECASE)
"""A file that a program wrote as one of many: Spark's and Hadoop's, pyarrow's, Dask's, Hive's."""

PARTITION = re.compile(r"[^=/]+=[^/]*")
"""A folder of one value of a partition column."""


def of_name(name: str) -> str | None:
    """The format that a name tells; None where it tells none."""
    words = name.lower().split(".")[1:]
    if words and words[-1] in COMPRESSED:
        format_ = _EXTENSIONS.get(words[-2]) if len(words) > 1 else None
        return format_ if format_ in TEXTS else None
    return _EXTENSIONS.get(words[-1]) if words else None


def packed_otherwise(name: str) -> str | None:
    """The compression of a text that Spark cannot read; None for any other file."""
    words = name.lower().split(".")[1:]
    packed = len(words) > 1 and words[-1] in _OTHER_COMPRESSIONS and _EXTENSIONS.get(words[-2]) in TEXTS
    return words[-1] if packed else None


def of_bytes(path: Path) -> str | None:
    """The format that the first bytes tell. Raises OSError."""
    with path.open("rb") as file:
        start = file.read(4)
    return next((format_ for magic, format_ in _MAGIC.items() if start.startswith(magic)), None)
