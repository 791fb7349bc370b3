"""Secrets: masked for readers, restored from masks, stored only where the settings require (spec SEC-14)."""

import json
import sqlite3
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import AccessDenied, InstanceInvalid, InvalidConfiguration
from jupyter_colophon.core.identity.names import make_instance_urn
from jupyter_colophon.core.instances.instance_query import ExportSelection, InstanceQuery
from jupyter_colophon.core.model.proposal import WriteCondition
from jupyter_colophon.core.search.search import ValuesRequest
from support.catalog import ADA, search_catalog
from support.instance_stores import KERNEL, SPACE, InstanceStoreFixture, PlainInstance, build_thing, open_instance_store

CANARY = "canary-7f3a"
MASK = {"$secret": True}


def secret(kept: InstanceStoreFixture, name: str = "one") -> Any:
    """Return the secret as programs of the account read it."""
    return kept.instances.create_object_api(SPACE).load_instance(name).metadata.get("password")


class TestMasks:
    def test_masks_replace_secrets_in_every_response(self, kept: InstanceStoreFixture) -> None:
        made = kept.instances.create_instance(SPACE, "one", build_thing(password=CANARY, size=2), ADA)
        for response in (
            made,
            kept.instances.get_valid_instance(SPACE, "one", ADA),
            kept.instances.list_visible_instances(SPACE)[0],
            kept.instances.list_matching_page(SPACE, InstanceQuery(), ADA).instances[0],
        ):
            assert response.metadata == {"password": MASK, "size": 2}
        assert kept.instances.export_instances(SPACE, ExportSelection(), ADA)[0]["metadata"]["password"] == MASK
        assert secret(kept) == CANARY

    def test_mask_sent_back_keeps_the_secret(self, kept: InstanceStoreFixture) -> None:
        kept.instances.create_instance(SPACE, "one", build_thing(password=CANARY), ADA)
        kept.instances.replace_instance(SPACE, "one", build_thing("Two", password=MASK), WriteCondition(), ADA)
        assert secret(kept) == CANARY
        kept.instances.merge_patch_instance(SPACE, "one", {"metadata": {"size": 8}}, WriteCondition(), ADA)
        assert secret(kept) == CANARY
        kept.instances.merge_patch_instance(SPACE, "one", {"metadata": {"password": None}}, WriteCondition(), ADA)
        assert secret(kept) is None

    def test_mask_without_secret_is_refused(self, kept: InstanceStoreFixture) -> None:
        with pytest.raises(InstanceInvalid) as raised:
            kept.instances.create_instance(SPACE, "one", build_thing(password=MASK), ADA)
        assert [one.pointer for one in raised.value.problems] == ["/metadata/password"]

    def test_mask_cannot_reveal_secret_by_changing_schema(self, kept: InstanceStoreFixture) -> None:
        kept.instances.create_instance(SPACE, "one", build_thing(password=CANARY), ADA)
        with pytest.raises(InstanceInvalid):
            kept.instances.replace_instance(
                SPACE, "one", build_thing("One", "open", password=MASK), WriteCondition(), ADA
            )
        with pytest.raises(InstanceInvalid):
            kept.instances.merge_patch_instance(SPACE, "one", {"schema_name": "open"}, WriteCondition(), ADA)

    def test_masks_follow_list_elements(self, kept: InstanceStoreFixture) -> None:
        hosts = [{"name": "a", "token": "ta"}, {"name": "b", "token": "tb"}, {"name": "c", "token": "tc"}]
        kept.instances.create_instance(SPACE, "one", build_thing(hosts=hosts), ADA)
        moved = [{"name": "c", "token": MASK}, {"name": "a", "token": MASK}, {"name": "d", "token": "td"}]
        kept.instances.replace_instance(SPACE, "one", build_thing(hosts=moved), WriteCondition(), ADA)
        found = kept.instances.create_object_api(SPACE).load_instance("one").metadata["hosts"]
        assert [(one["name"], one["token"]) for one in found] == [("c", "tc"), ("a", "ta"), ("d", "td")]

    def test_mask_of_new_element_gets_no_secret_of_another(self, kept: InstanceStoreFixture) -> None:
        kept.instances.create_instance(SPACE, "one", build_thing(hosts=[{"name": "a", "token": "ta"}]), ADA)
        strange = [{"name": "a", "token": MASK}, {"name": "mine", "token": MASK}]
        with pytest.raises(InstanceInvalid):
            kept.instances.replace_instance(SPACE, "one", build_thing(hosts=strange), WriteCondition(), ADA)

    def test_unknown_schema_masks_members_named_like_secrets(self, files: InstanceStoreFixture) -> None:
        files.get_instance_path("one").parent.mkdir(parents=True)
        document = build_thing("One", "unknown", password=CANARY, inner={"api_key": CANARY, "size": 1})
        files.get_instance_path("one").write_text(json.dumps(document))
        found = files.instances.get_valid_or_invalid_instance(SPACE, "one", ADA)
        assert found.metadata == {"password": MASK, "inner": {"api_key": MASK, "size": 1}}
        assert CANARY not in json.dumps(files.read_instance_history("one"))

    def test_changed_secret_creates_a_version(self, kept: InstanceStoreFixture) -> None:
        first = kept.instances.create_instance(SPACE, "one", build_thing(password="first"), ADA)
        second = kept.instances.replace_instance(
            SPACE, "one", build_thing(password="second"), WriteCondition(version=first.version), ADA
        )
        again = kept.instances.replace_instance(SPACE, "one", build_thing(password=MASK), WriteCondition(), ADA)
        assert (first.version, second.version, again.version) == (1, 2, 2)


class TestHistory:
    def test_restored_version_has_current_secret(self, kept: InstanceStoreFixture) -> None:
        kept.instances.create_instance(SPACE, "one", build_thing("Old", password="first"), ADA)
        kept.instances.replace_instance(SPACE, "one", build_thing("New", password=CANARY), WriteCondition(), ADA)
        done = kept.instances.restore_version(SPACE, "one", 1, WriteCondition(), ADA)
        assert (done.display_name, done.version) == ("Old", 3)
        assert secret(kept) == CANARY

    def test_restored_instance_has_its_secret(self, kept: InstanceStoreFixture) -> None:
        kept.instances.create_instance(SPACE, "one", build_thing(password=CANARY), ADA)
        removed = kept.instances.remove_instance(SPACE, "one", WriteCondition(), ADA)
        assert removed.version == 1
        assert kept.instances.restore_version(SPACE, "one", 1, WriteCondition(), ADA).reason == ""
        assert secret(kept) == CANARY

    def test_instance_removed_by_another_process_is_restored_without_secret(
        self, beside: Catalog, data_folder: Path, kind: str
    ) -> None:
        with open_instance_store(beside, data_folder, kind) as kept:
            kept.instances.create_instance(SPACE, "one", build_thing(password=CANARY, size=4), ADA)
            kept.instances.remove_instance(SPACE, "one", WriteCondition(), ADA)
        with open_instance_store(beside, data_folder, kind) as kept:
            back = kept.instances.restore_version(SPACE, "one", 1, WriteCondition(), ADA)
            assert (back.metadata, back.reason) == ({"size": 4}, "")
            reported = [(one.pointer, one.message) for one in back.problems]
            assert reported == [("/metadata/password", "no secret is stored here: enter it again")]
            assert secret(kept) is None


class TestStores:
    def test_catalog_secrets_are_in_a_private_file(self, beside: Catalog, data_folder: Path) -> None:
        with open_instance_store(beside, data_folder, "catalog") as kept:
            kept.instances.create_instance(SPACE, "one", build_thing(password="before"), ADA)
            kept.instances.replace_instance(SPACE, "one", build_thing(password=CANARY), WriteCondition(), ADA)
            file = data_folder / "colophon" / "secrets.json"
            assert list(json.loads(file.read_text()).values()) == [CANARY]
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
            kept.instances.remove_instance(SPACE, "one", WriteCondition(), ADA)
            assert json.loads(file.read_text()) == {}

    def test_failed_save_deletes_its_secret(self, beside: Catalog, data_folder: Path) -> None:
        with open_instance_store(beside, data_folder, "catalog") as kept:
            kept.instances.create_instance(SPACE, "one", build_thing("One", "own", password=CANARY), ADA)
            PlainInstance.acts = {"post_save": _refuse}
            try:
                with pytest.raises(Exception, match="no"):
                    kept.instances.replace_instance(
                        SPACE, "one", build_thing("One", "own", password="other"), WriteCondition(), ADA
                    )
            finally:
                PlainInstance.acts = {}
            assert list(json.loads((data_folder / "colophon" / "secrets.json").read_text()).values()) == [CANARY]
            assert secret(kept) == CANARY

    def test_secret_of_another_machine_makes_instance_invalid(self, beside: Catalog, data_folder: Path) -> None:
        with open_instance_store(beside, data_folder, "catalog") as kept:
            kept.instances.create_instance(SPACE, "one", build_thing(password=CANARY), ADA)
            (data_folder / "colophon" / "secrets.json").unlink()
            found = kept.instances.get_valid_or_invalid_instance(SPACE, "one", ADA)
            assert found.reason == "ValueError"
            assert [one.pointer for one in found.problems] == ["/metadata/password"]
            assert (
                kept.instances.replace_instance(SPACE, "one", build_thing(password="new"), WriteCondition(), ADA).reason
                == ""
            )

    def test_environment_store_keeps_variable_name(
        self, beside: Catalog, data_folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLOPHON_SECRET_PASSWORD", CANARY)
        with open_instance_store(beside, data_folder, kind, secret_store="env") as kept:
            made = kept.instances.create_instance(SPACE, "one", build_thing(password="$COLOPHON_SECRET_PASSWORD"), ADA)
            assert made.metadata["password"] == MASK
            assert kept.store.find_instance("one").document["metadata"]["password"] == {
                "$secret": "env:COLOPHON_SECRET_PASSWORD"
            }  # type: ignore[union-attr, index]
            assert secret(kept) == CANARY
            kept.instances.replace_instance(SPACE, "one", build_thing("Two", password=MASK), WriteCondition(), ADA)
            assert secret(kept) == CANARY
            with pytest.raises(InstanceInvalid) as raised:
                kept.instances.replace_instance(SPACE, "one", build_thing(password=CANARY), WriteCondition(), ADA)
            assert CANARY not in str(raised.value)
            kept.instances.remove_instance(SPACE, "one", WriteCondition(), ADA)
            kept.instances.restore_version(SPACE, "one", 1, WriteCondition(), ADA)
            assert secret(kept) == CANARY
            bundle = [
                {"name": name, **build_thing(password=text)}
                for name, text in (("a", "$COLOPHON_SECRET_PASSWORD"), ("b", CANARY))
            ]
            assert [one.kind for one in kept.instances.import_instances(SPACE, bundle, ADA)] == ["created", "invalid"]
            monkeypatch.delenv("COLOPHON_SECRET_PASSWORD")
            assert kept.instances.get_valid_or_invalid_instance(SPACE, "one", ADA).reason == "ValueError"

    def test_variable_may_be_referenced_with_any_secret_store(
        self, kept: InstanceStoreFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLOPHON_SECRET_PASSWORD", CANARY)
        kept.instances.create_instance(
            SPACE, "one", build_thing(password={"$secret": "env:COLOPHON_SECRET_PASSWORD"}), ADA
        )
        assert secret(kept) == CANARY
        kept.instances.merge_patch_instance(SPACE, "one", {"metadata": {"size": 2}}, WriteCondition(), ADA)
        assert kept.store.find_instance("one").document["metadata"]["password"] == {
            "$secret": "env:COLOPHON_SECRET_PASSWORD"
        }  # type: ignore[union-attr, index]

    @pytest.mark.parametrize(("setting", "written"), [("file", {"$secret": "env:PGPASSWORD"}), ("env", "$PGPASSWORD")])
    def test_environment_store_allows_only_configured_variables(
        self,
        beside: Catalog,
        data_folder: Path,
        kind: str,
        setting: str,
        written: Any,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("PGPASSWORD", CANARY)
        with open_instance_store(beside, data_folder, kind, secret_store=setting) as kept:
            with pytest.raises(InstanceInvalid) as refused:
                kept.instances.create_instance(SPACE, "one", build_thing(password=written), ADA)
            assert refused.value.problems[0].pointer == "/metadata/password"
            assert "c.Colophon.secret_env_variables does not allow" in refused.value.problems[0].message
            outcome = kept.instances.import_instances(SPACE, [{"name": "two", **build_thing(password=written)}], ADA)[0]
            assert outcome.kind == "invalid"
            assert [one.name for one in kept.instances.list_visible_instances(SPACE)] == []

    def test_external_file_cannot_reference_disallowed_variable(
        self, beside: Catalog, data_folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PGPASSWORD", CANARY)
        with open_instance_store(beside, data_folder, "file") as kept:
            path = data_folder / "metadata" / SPACE / "one.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(build_thing(password={"$secret": "env:PGPASSWORD"})))
            found = kept.instances.get_valid_or_invalid_instance(SPACE, "one", ADA)
            assert (found.reason, [one.pointer for one in found.problems]) == ("ValueError", ["/metadata/password"])

    def test_reference_to_secret_of_another_instance_is_refused(self, beside: Catalog, data_folder: Path) -> None:
        with open_instance_store(beside, data_folder, "catalog") as kept:
            kept.instances.create_instance(SPACE, "one", build_thing(password=CANARY), ADA)
            stolen = kept.store.find_instance("one").document["metadata"]["password"]  # type: ignore[union-attr, index]
            with pytest.raises(InstanceInvalid):
                kept.instances.create_instance(SPACE, "two", build_thing(password=stolen), ADA)
            outcome = kept.instances.import_instances(SPACE, [{"name": "two", **build_thing(password=stolen)}], ADA)[0]
            assert (outcome.kind, [one.pointer for one in outcome.problems]) == ("invalid", ["/metadata/password"])
            assert [one.name for one in kept.instances.list_visible_instances(SPACE)] == ["one"]

    def test_unknown_secret_store_is_refused(self, beside: Catalog, data_folder: Path) -> None:
        with pytest.raises(InvalidConfiguration), open_instance_store(beside, data_folder, secret_store="nothing"):
            pass


class TestKeyring:
    """The keyring, with a replacement for the system's program."""

    @pytest.fixture
    def ring(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[tuple[str, str], str]]:
        kept: dict[tuple[str, str], str] = {}
        module: Any = ModuleType("keyring")
        module.set_password = lambda service, key, value: kept.__setitem__((service, key), value)
        module.get_password = lambda service, key: kept.get((service, key))
        module.delete_password = lambda service, key: kept.pop((service, key))
        monkeypatch.setitem(sys.modules, "keyring", module)
        return kept

    def test_keyring_has_value_and_instance_has_reference(
        self, beside: Catalog, data_folder: Path, kind: str, ring: dict[tuple[str, str], str]
    ) -> None:
        with open_instance_store(beside, data_folder, kind, secret_store="keyring") as kept:
            kept.instances.create_instance(SPACE, "one", build_thing(password=CANARY), ADA)
            assert list(ring.values()) == [json.dumps(CANARY)]
            assert secret(kept) == CANARY
            kept.instances.replace_instance(SPACE, "one", build_thing("Two", password=MASK), WriteCondition(), ADA)
            assert len(ring) == 1
            kept.instances.replace_instance(SPACE, "one", build_thing("Two", password="other"), WriteCondition(), ADA)
            assert list(ring.values()) == ['"other"']
            kept.instances.remove_instance(SPACE, "one", WriteCondition(), ADA)
            assert ring == {}

    def test_missing_keyring_package_refuses_only_saves_with_secrets(
        self, beside: Catalog, data_folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "keyring", None)
        with open_instance_store(beside, data_folder, secret_store="keyring") as kept:
            kept.instances.create_instance(SPACE, "one", build_thing(size=2), ADA)
            with pytest.raises(Exception, match="keyring is not installed"):
                kept.instances.create_instance(SPACE, "two", build_thing(password=CANARY), ADA)


class TestMoving:
    def test_move_transfers_secrets_to_target_store(self, beside: Catalog, data_folder: Path) -> None:
        with open_instance_store(beside, data_folder) as files:
            files.instances.create_instance(SPACE, "one", build_thing(password=CANARY), ADA)
            assert [one.kind for one in files.instances.move_to_other_store(SPACE, "file", "catalog", ADA)] == [
                "created"
            ]
            assert not files.get_instance_path("one").exists()
        assert CANARY not in _database(beside)
        with open_instance_store(beside, data_folder, "catalog") as kept:
            assert secret(kept) == CANARY
            assert [one.kind for one in kept.instances.move_to_other_store(SPACE, "catalog", "file", ADA)] == [
                "created"
            ]
        assert json.loads((data_folder / "colophon" / "secrets.json").read_text()) == {}
        with open_instance_store(beside, data_folder) as files:
            assert json.loads(files.get_instance_path("one").read_text())["metadata"]["password"] == CANARY


def test_secret_is_in_no_storage_response_or_log(
    kept: InstanceStoreFixture, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    kept.instances.create_instance(
        SPACE, "one", build_thing(password=f"{CANARY}-1", hosts=[{"name": "h", "token": f"{CANARY}-2"}]), ADA
    )
    kept.instances.replace_instance(SPACE, "one", build_thing(password=f"{CANARY}-3", size=2), WriteCondition(), ADA)
    for wrong in (build_thing(password=[f"{CANARY}-4"]), build_thing(password=f"{CANARY}-5", size="x")):
        with pytest.raises(InstanceInvalid) as raised:
            kept.instances.replace_instance(SPACE, "one", wrong, WriteCondition(), ADA)
        assert CANARY not in f"{raised.value} {raised.value.problems}"
    kept.instances.create_instance(SPACE, "two", build_thing("Two", password=f"{CANARY}-6"), ADA)
    kept.instances.remove_instance(SPACE, "two", WriteCondition(), ADA)
    if kind == "file":
        kept.get_instance_path("three").write_text(json.dumps(build_thing("Three", "gone", password=f"{CANARY}-7")))
        kept.get_instance_path("four").write_text('{"metadata": {"password": "' + CANARY)
    responses = [
        kept.instances.list_visible_instances(SPACE, invalid=True),
        kept.instances.list_matching_page(SPACE, InstanceQuery(), ADA),
        kept.instances.count_values_at_pointer(SPACE, "", "/metadata/password", ADA),
        kept.instances.count_values_at_pointer(SPACE, "", "/metadata/hosts/token", ADA),
        kept.instances.export_instances(SPACE, ExportSelection(include_invalid=True), ADA),
        kept.instances.find_instance_issues(),
        kept.read_instance_history("one"),
        kept.catalog.feed.read_visible_changes(0, 1_000, {}, ADA),
        kept.catalog.reader.read_entity(make_instance_urn(SPACE, "one"), None, ADA),
        [
            search_catalog(kept.catalog, text).hits
            for text in (f"{CANARY}*", "password:*", "token:*", f"password:{CANARY}*")
        ],
        kept.catalog.keys.list_values_with_counts(ValuesRequest("password"), 10, ADA)[0],
    ]
    assert CANARY not in repr(responses)
    assert CANARY not in _database(kept.catalog)
    assert CANARY not in caplog.text


def test_export_with_secrets_requires_admin(kept: InstanceStoreFixture) -> None:
    kept.instances.create_instance(SPACE, "one", build_thing(password=CANARY), ADA)
    found = kept.instances.export_instances(SPACE, ExportSelection(include_secrets=True), ADA)
    assert found[0]["metadata"]["password"] == CANARY
    with pytest.raises(AccessDenied):
        kept.instances.export_instances(SPACE, ExportSelection(include_secrets=True), KERNEL)


def _refuse(_: Any) -> None:
    raise ValueError("no")


def _database(catalog: Catalog) -> str:
    """Return the content of the catalog's file and of its write-ahead log."""
    place = Path(catalog.provider.describe_store()["place"])
    with sqlite3.connect(place) as connection:
        rows = "\n".join(connection.iterdump())
    return rows + "".join(
        path.read_bytes().decode("latin-1") for path in place.parent.glob(f"{place.name}*") if path.is_file()
    )
