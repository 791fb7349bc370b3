"""What a crawl tells of a dataset, as proposals of the native API: DataHub's shapes, and our own note of the crawl."""

import hashlib
import json
from collections.abc import Collection, Iterator
from typing import Any

from jupyter_colophon.spark.crawl.columns import ColumnProfile
from jupyter_colophon.spark.crawl.discovered import Found
from jupyter_colophon.spark.crawl.options import Asked
from jupyter_colophon.spark.crawl.profile import Profile

Document = dict[str, Any]

ASPECT = "crawl"
"""The aspect that remembers what was looked at."""

_VERSION = 2
"""Goes up when a profile says something else than before: then all data is looked at again."""


def fingerprint(found: Found, asked: Asked, hidden: Collection[str]) -> str | None:
    """What is the same as long as looking again would tell the same; None where nobody knows that."""
    if found.state is None:
        return None
    said = [_VERSION, found.state, asked.statistics, asked.sample, dict(asked.options), sorted(hidden)]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def dataset_profile(profile: Profile, size: int | None, now_ms: int) -> Document:
    """DataHub's `datasetProfile`."""
    told: Document = {
        "timestampMillis": now_ms,
        "partitionSpec": {"type": "FULL_TABLE", "partition": "FULL_TABLE_SNAPSHOT"},
        "rowCount": profile.rows,
        "columnCount": len(profile.fields),
        "fieldProfiles": [_field(one, profile.looked_at) for one in profile.columns],
    }
    if profile.sampled is not None:
        told["partitionSpec"] = {"type": "QUERY", "partition": f"SAMPLE ({profile.sampled} rows)"}
    return told if size is None else told | {"sizeInBytes": size}


def note(found: Found, profile: Profile | None, mark: str | None, hidden: Collection[str], now_ms: int) -> Document:
    """Our aspect `crawl`: what was looked at, when and how, and what a profile of DataHub's has no place for."""
    told: Document = {"time": now_ms, "files": found.files}
    if mark is not None:
        told["fingerprint"] = mark
    if profile is None:
        return told
    if profile.sampled is not None:
        told["sampledRows"] = profile.sampled
    columns = [_noted(one, one.field.path in hidden) for one in profile.columns]
    return told | {"columns": [one for one in columns if len(one) > 1]}


def _noted(column: ColumnProfile, is_hidden: bool) -> Document:
    told: Document = {"fieldPath": column.field.path}
    if column.lengths is not None:
        told["lengths"] = dict(zip(("shortest", "longest", "mean"), column.lengths, strict=True))
    if is_hidden:
        told["withoutValues"] = True
    return told | ({"skipped": column.skipped} if column.skipped else {})


def _field(column: ColumnProfile, rows: int) -> Document:
    told = {
        "fieldPath": column.field.path,
        "nullCount": rows - column.filled,
        "nullProportion": (rows - column.filled) / rows if rows else None,
        "uniqueCount": column.distinct,
        "uniqueProportion": column.distinct / column.filled if column.distinct is not None and column.filled else None,
        **dict(_values(column)),
    }
    return {name: value for name, value in told.items() if value is not None}


def _values(column: ColumnProfile) -> Iterator[tuple[str, Any]]:
    yield from (("min", column.least), ("max", column.most), ("mean", column.mean), ("stdev", column.deviation))
    yield "median", column.median
    if column.quantiles:
        yield "quantiles", [{"quantile": rank, "value": value} for rank, value in column.quantiles.items()]
