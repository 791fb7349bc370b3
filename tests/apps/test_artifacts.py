"""Artifacts of namespaces, on each store: stored once for each content, and deleted with their last reference."""

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import KERNEL_ACTIONS, Principal
from jupyter_colophon.core.artifacts.artifact import ARTIFACT_BYTES_MAX, ArtifactKey
from jupyter_colophon.core.audit import AuditRules, AuditSelection
from jupyter_colophon.core.errors import AccessDenied, AlreadyExists, InvalidInstance, NotFound, TooLarge
from support.artifacts import TOOLS
from support.catalog import ADA

SOURCE = TOOLS.encode()
SALES = ArtifactKey("sales", "shop-tools", "1.0")
OPS = ArtifactKey("ops", "shop-tools", "1.0")
OTHER = SOURCE + b"\nOTHER = 1\n"


def count_parts(catalog: Catalog) -> int:
    return catalog.provider.tx_runner.run(lambda tx: tx.get_table("artifact_parts").count(), read_only=True)


def test_artifact_is_an_entity_with_plugins(catalog: Catalog) -> None:
    artifact, is_new = catalog.artifacts.upload(SALES, SOURCE, ADA)
    assert is_new
    assert (artifact.kind, artifact.size, artifact.file_name) == ("module", len(SOURCE), "shop_tools.py")
    assert [plugin.name for plugin in artifact.plugins] == ["upper", "repeat", "rogue"]
    assert catalog.artifacts.read_with_content(SALES, ADA) == (artifact, SOURCE)
    entity = catalog.reader.read_entity(SALES.urn, ["technicalMetadata"], ADA)
    assert entity.aspects["technicalMetadata"].value["properties"]["plugin:upper"] == "upper:transform"
    assert (entity.summary.created.actor, artifact.created_by) == ("ada", "ada")
    listed = catalog.artifacts.list_newest_plugins("sales", "application", ADA)
    assert [item.name for item in listed] == ["shop-tools/repeat", "shop-tools/rogue"]


def test_content_of_a_version_never_changes(catalog: Catalog) -> None:
    first, _ = catalog.artifacts.upload(SALES, SOURCE, ADA)
    assert catalog.artifacts.upload(SALES, SOURCE, ADA) == (first, False)
    with pytest.raises(AlreadyExists, match="upload another version"):
        catalog.artifacts.upload(SALES, OTHER, ADA)
    assert catalog.artifacts.read_with_content(SALES, ADA)[1] == SOURCE


def test_content_is_stored_once_and_deleted_with_its_last_artifact(catalog: Catalog) -> None:
    catalog.artifacts.upload(SALES, SOURCE, ADA)
    parts = count_parts(catalog)
    catalog.artifacts.upload(OPS, SOURCE, ADA)
    assert count_parts(catalog) == parts
    catalog.artifacts.delete(SALES, ADA)
    assert catalog.artifacts.read_with_content(OPS, ADA)[1] == SOURCE
    with pytest.raises(NotFound):
        catalog.artifacts.read(SALES, ADA)
    catalog.namespaces.delete_namespace_and_content_in_background("ops", ADA)
    with pytest.raises(NotFound):
        catalog.artifacts.list_page("ops", 10, "", ADA)
    catalog.namespaces.delete_remaining_content_now("ops")
    assert count_parts(catalog) == 0
    catalog.deployer.create_or_update_namespace("ops", {}, ADA)
    assert catalog.artifacts.list_page("ops", 10, "", ADA) == ([], None)


def test_large_content_is_stored_in_parts(catalog: Catalog) -> None:
    content = SOURCE + b"#" * 200_000
    catalog.artifacts.upload(SALES, content, ADA)
    assert catalog.artifacts.read_with_content(SALES, ADA)[1] == content
    with pytest.raises(TooLarge):
        catalog.artifacts.upload(OPS, b"#" * (ARTIFACT_BYTES_MAX + 1), ADA)


def test_artifacts_are_listed_in_pages(catalog: Catalog) -> None:
    source = SOURCE.replace(b"__version__", b"VERSION")
    for version in ("1", "2", "3"):
        catalog.artifacts.upload(ArtifactKey("sales", "shop-tools", version), source, ADA)
    page, cursor = catalog.artifacts.list_page("sales", 2, "", ADA)
    rest, end = catalog.artifacts.list_page("sales", 2, cursor or "", ADA)
    assert [item.version for item in page + rest] == ["1", "2", "3"]
    assert end is None


def test_only_those_who_may_run_pipelines_upload(catalog: Catalog) -> None:
    for principal, error in (
        (Principal("ada", "kernel-1", KERNEL_ACTIONS), AccessDenied),
        (Principal("ada", scopes=frozenset({"read", "admin"})), AccessDenied),
        (Principal("ada", namespaces=frozenset({"ops"})), NotFound),
    ):
        with pytest.raises(error):
            catalog.artifacts.upload(SALES, SOURCE, principal)
    with pytest.raises(NotFound):
        catalog.artifacts.upload(ArtifactKey("nowhere", "shop-tools", "1.0"), SOURCE, ADA)
    assert count_parts(catalog) == 0


def test_invalid_artifact_is_refused_with_reasons(catalog: Catalog) -> None:
    source = SOURCE.replace(b'"type": "integer"', b'"type": "shape"')
    with pytest.raises(InvalidInstance) as refused:
        catalog.artifacts.upload(SALES, source, ADA)
    assert "shop_tools:Repeat: properties" in refused.value.problems[0].message
    assert catalog.artifacts.list_page("sales", 10, "", ADA) == ([], None)


def test_upload_is_recorded_in_the_audit(catalog: Catalog) -> None:
    catalog.audit.recorder.rules = AuditRules("on")
    catalog.artifacts.upload(SALES, SOURCE, ADA)
    with pytest.raises(AccessDenied):
        catalog.artifacts.upload(OPS, SOURCE, Principal("bob", scopes=frozenset({"read"})))
    catalog.audit.recorder.store_now()
    entries, _ = catalog.audit.list_page(AuditSelection(), 10, "")
    recorded = {(entry.user, entry.urn, entry.outcome, entry.detail) for entry in entries}
    assert ("ada", str(SALES.urn), "allowed", "upload artifact") in recorded
    assert ("bob", str(OPS.urn), "denied", "admin") in recorded
