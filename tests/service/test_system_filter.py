"""The system filter: filtered metadata is neither stored nor found nor logged (spec MODEL-21)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.identity.names import IdentityRules, make_home_dataset_urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.model.system_filter import KeyFilter, SystemFilter
from jupyter_colophon.core.search.search import KeysRequest
from jupyter_colophon.core.store import choose_sqlite_store
from support.catalog import ADA, search_catalog

FILTER = SystemFilter(
    (
        KeyFilter("include", "secret-but-known", "*", "*"),
        KeyFilter("exclude", "secret*", "*", "*"),
        KeyFilter("exclude", "schema", "dataset", "private"),
        KeyFilter("exclude", "tags", "*", "private"),
        KeyFilter("exclude", "created-by", "*", "*"),
        KeyFilter("exclude", "description", "dataset", "*"),
    )
)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    one = open_or_create_catalog(choose_sqlite_store(tmp_path / "colophon.db"), IdentityRules(), FILTER)
    yield one
    one.close()


def record(catalog: Catalog, namespace: str) -> None:
    urn = make_home_dataset_urn(namespace, "orders")
    facts = {"secret-key": "zirconium", "secret-but-known": "known", "format": "parquet"}
    columns = {"fields": [{"fieldPath": "price", "nativeDataType": "int"}]}
    properties = {"description": "molybdenum", "customProperties": {"secret-two": "yttrium", "ttl": "1"}}
    catalog.write_path.apply_proposals_atomically(
        [
            Proposal(urn, "technicalMetadata", "upsert", {"properties": facts, "tags": ["batch"]}),
            Proposal(urn, "schemaMetadata", "upsert", columns),
            Proposal(urn, "datasetProperties", "upsert", properties),
        ],
        ADA,
    )


def test_first_matching_rule_decides_and_default_is_attach(catalog: Catalog) -> None:
    record(catalog, "private")
    record(catalog, "public")
    private = catalog.metadata.read_scoped_metadata(make_home_dataset_urn("private", "orders"), "private", ADA).system
    public = catalog.metadata.read_scoped_metadata(make_home_dataset_urn("public", "orders"), "public", ADA).system
    same = {"secret-but-known", "format", "ttl", "creation-time", "last-update-time", "last-updated-by"}
    assert set(private.properties) == same
    assert set(public.properties) == same | {"schema"}
    assert (private.tags, public.tags) == ((), ("batch",))


def test_filtered_metadata_is_not_found_logged_or_stored(catalog: Catalog, tmp_path: Path) -> None:
    record(catalog, "private")
    for word in ("zirconium", "yttrium", "molybdenum", "price", "secret-key"):
        assert search_catalog(catalog, word).total == 0, word
    assert search_catalog(catalog, "parquet").total == 1
    assert [one.key for one in catalog.keys.list_keys_with_counts(KeysRequest("secret"), ADA)[0]] == [
        "secret-but-known"
    ]
    catalog.close()
    files = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for word in (b"zirconium", b"yttrium", b"molybdenum", b"price"):
        assert word not in files


def test_user_metadata_is_never_filtered(catalog: Catalog) -> None:
    record(catalog, "private")
    value = {"properties": {"secret-mine": "x", "description": "y"}, "tags": ["z"]}
    urn = make_home_dataset_urn("private", "orders")
    catalog.write_path.apply_proposals_atomically([Proposal(urn, "businessMetadata", "upsert", value)], ADA)
    assert catalog.metadata.read_scoped_metadata(urn, "private", ADA).user.properties == value["properties"]
