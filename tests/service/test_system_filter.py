"""Which machine-made metadata is attached: what is filtered out is stored, found and told nowhere (spec MODEL-21)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyter_colophon.composition import Catalog, open_catalog
from jupyter_colophon.core.identity.names import Identity, home_dataset
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.model.system_filter import Rule, SystemFilter
from jupyter_colophon.core.search.search import KeysQuestion
from jupyter_colophon.core.store import sqlite_file
from support.catalog import ADA, search

FILTER = SystemFilter(
    (
        Rule("include", "secret-but-known", "*", "*"),
        Rule("exclude", "secret*", "*", "*"),
        Rule("exclude", "schema", "dataset", "private"),
        Rule("exclude", "tags", "*", "private"),
        Rule("exclude", "created-by", "*", "*"),
        Rule("exclude", "description", "dataset", "*"),
    )
)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    one = open_catalog(sqlite_file(tmp_path / "colophon.db"), Identity(), FILTER)
    yield one
    one.close()


def record(catalog: Catalog, namespace: str) -> None:
    urn = home_dataset(namespace, "orders")
    facts = {"secret-key": "zirconium", "secret-but-known": "known", "format": "parquet"}
    columns = {"fields": [{"fieldPath": "price", "nativeDataType": "int"}]}
    said = {"description": "molybdenum", "customProperties": {"secret-two": "yttrium", "ttl": "1"}}
    catalog.write_path.propose(
        [
            Proposal(urn, "technicalMetadata", "upsert", {"properties": facts, "tags": ["batch"]}),
            Proposal(urn, "schemaMetadata", "upsert", columns),
            Proposal(urn, "datasetProperties", "upsert", said),
        ],
        ADA,
    )


def test_the_first_rule_that_fits_decides_and_what_none_fits_is_attached(catalog: Catalog) -> None:
    record(catalog, "private")
    record(catalog, "public")
    private = catalog.metadata.read_scoped(home_dataset("private", "orders"), "private", ADA).system
    public = catalog.metadata.read_scoped(home_dataset("public", "orders"), "public", ADA).system
    same = {"secret-but-known", "format", "ttl", "creation-time", "last-update-time", "last-updated-by"}
    assert set(private.properties) == same
    assert set(public.properties) == same | {"schema"}
    assert (private.tags, public.tags) == ((), ("batch",))


def test_what_is_filtered_out_is_not_found_logged_or_stored(catalog: Catalog, tmp_path: Path) -> None:
    record(catalog, "private")
    for word in ("zirconium", "yttrium", "molybdenum", "price", "secret-key"):
        assert search(catalog, word).total == 0, word
    assert search(catalog, "parquet").total == 1
    assert [one.key for one in catalog.keys.keys(KeysQuestion("secret"), ADA)[0]] == ["secret-but-known"]
    catalog.close()
    files = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for word in (b"zirconium", b"yttrium", b"molybdenum", b"price"):
        assert word not in files


def test_what_people_write_is_never_filtered(catalog: Catalog) -> None:
    record(catalog, "private")
    value = {"properties": {"secret-mine": "x", "description": "y"}, "tags": ["z"]}
    urn = home_dataset("private", "orders")
    catalog.write_path.propose([Proposal(urn, "businessMetadata", "upsert", value)], ADA)
    assert catalog.metadata.read_scoped(urn, "private", ADA).user.properties == value["properties"]
