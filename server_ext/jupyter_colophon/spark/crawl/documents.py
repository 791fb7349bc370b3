"""The proposals of a crawl: DataHub's aspects, and our aspect `crawl`."""

import hashlib
import json
from collections.abc import Collection, Iterator
from typing import Any

from jupyter_colophon.spark.crawl.columns import ColumnProfile
from jupyter_colophon.spark.crawl.discovered import FoundDataset
from jupyter_colophon.spark.crawl.options import CrawlOptions
from jupyter_colophon.spark.crawl.profile import Profile

Document = dict[str, Any]

ASPECT = "crawl"
"""The aspect that records what was read."""

_VERSION = 2
"""Increase it if profiles of the same data change: then all datasets are read again."""


def compute_dataset_fingerprint(dataset: FoundDataset, options: CrawlOptions, hidden: Collection[str]) -> str | None:
    """Return a hash that changes if reading the dataset again may give another profile; None if unknown."""
    if dataset.state is None:
        return None
    inputs = [_VERSION, dataset.state, options.statistics, options.sample, dict(options.options), sorted(hidden)]
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()


def build_dataset_profile(profile: Profile, size: int | None, now_ms: int) -> Document:
    """Return DataHub's aspect `datasetProfile`."""
    document: Document = {
        "timestampMillis": now_ms,
        "partitionSpec": {"type": "FULL_TABLE", "partition": "FULL_TABLE_SNAPSHOT"},
        "rowCount": profile.rows,
        "columnCount": len(profile.fields),
        "fieldProfiles": [_build_field_profile(column, profile.inspected_rows) for column in profile.columns],
    }
    if profile.sampled is not None:
        document["partitionSpec"] = {"type": "QUERY", "partition": f"SAMPLE ({profile.sampled} rows)"}
    return document if size is None else document | {"sizeInBytes": size}


def build_crawl_aspect(
    dataset: FoundDataset, profile: Profile | None, fingerprint: str | None, hidden: Collection[str], now_ms: int
) -> Document:
    """Return our aspect `crawl`: what was read, when and how, and statistics for which DataHub's profile has no field."""
    document: Document = {"time": now_ms, "files": dataset.files}
    if fingerprint is not None:
        document["fingerprint"] = fingerprint
    if profile is None:
        return document
    if profile.sampled is not None:
        document["sampledRows"] = profile.sampled
    columns = [_build_column_document(column, column.field.path in hidden) for column in profile.columns]
    return document | {"columns": [column for column in columns if len(column) > 1]}


def _build_column_document(column: ColumnProfile, is_hidden: bool) -> Document:
    document: Document = {"fieldPath": column.field.path}
    if column.lengths is not None:
        document["lengths"] = dict(zip(("shortest", "longest", "mean"), column.lengths, strict=True))
    if is_hidden:
        document["withoutValues"] = True
    return document | ({"skipped": column.skipped} if column.skipped else {})


def _build_field_profile(column: ColumnProfile, rows: int) -> Document:
    document = {
        "fieldPath": column.field.path,
        "nullCount": rows - column.filled,
        "nullProportion": (rows - column.filled) / rows if rows else None,
        "uniqueCount": column.distinct,
        "uniqueProportion": column.distinct / column.filled if column.distinct is not None and column.filled else None,
        **dict(_list_revealing_statistics(column)),
    }
    return {name: value for name, value in document.items() if value is not None}


def _list_revealing_statistics(column: ColumnProfile) -> Iterator[tuple[str, Any]]:
    yield from (("min", column.least), ("max", column.most), ("mean", column.mean), ("stdev", column.deviation))
    yield "median", column.median
    if column.quantiles:
        yield "quantiles", [{"quantile": rank, "value": value} for rank, value in column.quantiles.items()]
