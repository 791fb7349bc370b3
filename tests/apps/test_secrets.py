"""Secrets of namespaces, on each store: who may use them, where their values are, and when they end."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from jupyter_colophon.apps.secrets import NamespaceSecrets
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import INTERNAL, Principal
from jupyter_colophon.core.audit import AuditRules, AuditSelection
from jupyter_colophon.core.errors import AccessDenied, InvalidName, InvalidSecret, NotFound
from jupyter_colophon.storage.spi import Range
from support.catalog import ADA
from support.system_apps import call_app, open_apps

READER = Principal("eve", None, frozenset({"read"}))
CANARY = "hunter2-CANARY"
VAULT = """
from jupyter_colophon.apps import SystemApp

PATH = "/v1/contexts/{context}/login"


def log_in(context, request):
    return {"length": len(context.admin.get_secrets(context.namespace).get("warehouse"))}


def log_in_as_caller(context, request):
    return log_in(context.run_as(context.principal), request)


class Vault(SystemApp):
    def configure(self, configurer):
        configurer.add_handler("GET", PATH, log_in)
        configurer.add_handler("GET", PATH + "/mine", log_in_as_caller)
"""
Install = Callable[..., str]


def get_secrets(catalog: Catalog, principal: Principal = ADA, namespace: str = "sales") -> NamespaceSecrets:
    return NamespaceSecrets(namespace, catalog.secrets, principal)


def read_stored_values(folder: Path) -> dict[str, str]:
    path = folder / "secrets" / "secrets.json"
    return json.loads(path.read_text()) if path.exists() else {}


def test_secret_is_written_read_replaced_and_deleted(catalog: Catalog, tmp_path: Path) -> None:
    secrets = get_secrets(catalog)
    created = secrets.put("warehouse", CANARY, "Of the warehouse")
    assert (created.description, created.created_by, created.updated_by) == ("Of the warehouse", "ada", "ada")
    assert secrets.get("warehouse") == CANARY
    bob = get_secrets(catalog, Principal("bob"))
    replaced = bob.put("warehouse", "second")
    assert (replaced.description, replaced.created_by, replaced.updated_by) == ("", "ada", "bob")
    assert secrets.get("warehouse") == "second"
    # The former value is nowhere.
    assert [*read_stored_values(tmp_path).values()] == ["second"]
    secrets.put("a.b", "x")
    assert [secret.name for secret in secrets.list()] == ["a.b", "warehouse"]
    secrets.delete("warehouse")
    assert [*read_stored_values(tmp_path).values()] == ["x"]
    for use in (secrets.get, secrets.delete):
        with pytest.raises(NotFound, match="secret 'warehouse of the namespace sales' not found"):
            use("warehouse")


def test_value_is_in_no_table(catalog: Catalog) -> None:
    secrets = get_secrets(catalog)
    secrets.put("warehouse", CANARY, "Of the warehouse")
    assert CANARY not in repr(secrets.list())
    tables = catalog.provider.table_admin.list()
    rows = catalog.provider.tx_runner.run(
        lambda tx: [row for table in tables for row in tx.get_table(table).scan(Range())], read_only=True
    )
    assert any("Of the warehouse" in str(row) for row in rows)
    assert not any(CANARY in str(row) for row in rows)


@pytest.mark.parametrize("name", ["", "a/b", "../x", "a b", ".a", "a" * 65])
def test_names_are_checked(catalog: Catalog, name: str) -> None:
    with pytest.raises(InvalidName, match="not a valid name of a secret"):
        get_secrets(catalog).put(name, CANARY)


@pytest.mark.parametrize(("value", "description"), [("", ""), (CANARY * 10_000, ""), ("x", CANARY * 100), (7, "")])
def test_invalid_value_is_refused_without_being_shown(
    catalog: Catalog, tmp_path: Path, value: str, description: str
) -> None:
    with pytest.raises(InvalidSecret, match="of a secret must be a text of") as refused:
        get_secrets(catalog).put("warehouse", value, description)
    assert CANARY not in str(refused.value)
    assert not read_stored_values(tmp_path)


def test_readers_list_names_and_only_who_changes_the_namespace_reads_values(catalog: Catalog) -> None:
    get_secrets(catalog).put("warehouse", CANARY)
    secrets = get_secrets(catalog, READER)
    assert [secret.name for secret in secrets.list()] == ["warehouse"]
    with pytest.raises(AccessDenied):
        secrets.get("warehouse")
    with pytest.raises(AccessDenied):
        secrets.put("warehouse", "x")
    with pytest.raises(AccessDenied):
        secrets.delete("warehouse")
    # Applications read with the rights of the platform, unless they call `run_as`.
    assert get_secrets(catalog, INTERNAL).get("warehouse") == CANARY


def test_secrets_belong_to_an_existing_namespace(catalog: Catalog, tmp_path: Path) -> None:
    missing = get_secrets(catalog, namespace="nowhere")
    for use in (missing.list, lambda: missing.get("x"), lambda: missing.put("x", CANARY), lambda: missing.delete("x")):
        with pytest.raises(NotFound, match="Namespace 'nowhere' not found"):
            use()
    assert not read_stored_values(tmp_path)


def test_secrets_end_with_their_namespace(catalog: Catalog, tmp_path: Path) -> None:
    get_secrets(catalog).put("warehouse", CANARY)
    get_secrets(catalog, namespace="ops").put("warehouse", "kept")
    catalog.namespaces.delete_namespace_and_content_in_background("sales", ADA)
    with pytest.raises(NotFound, match="Namespace 'sales' not found"):
        get_secrets(catalog).get("warehouse")
    catalog.namespaces.delete_remaining_content_now("sales")
    assert [*read_stored_values(tmp_path).values()] == ["kept"]
    catalog.deployer.create_or_update_namespace("sales", {}, ADA)
    assert get_secrets(catalog).list() == []


def test_uses_are_in_the_audit_without_values(catalog: Catalog) -> None:
    catalog.audit.recorder.rules = AuditRules("on")
    get_secrets(catalog).put("warehouse", CANARY)
    get_secrets(catalog).get("warehouse")
    get_secrets(catalog, INTERNAL).get("warehouse")
    get_secrets(catalog).delete("warehouse")
    catalog.audit.recorder.store_now()
    entries, _ = catalog.audit.list_page(AuditSelection(), 10, "")
    assert {(entry.action, entry.user, entry.detail) for entry in entries if "secret" in entry.detail} == {
        ("change", "ada", "put secret warehouse"),
        ("read", "ada", "read secret warehouse"),
        ("change", "ada", "delete secret warehouse"),
    }
    assert CANARY not in repr(entries)


def test_handler_reads_with_the_rights_of_the_platform_or_of_the_caller(catalog: Catalog, install: Install) -> None:
    install(VAULT, "vault", "Vault")
    get_secrets(catalog).put("warehouse", CANARY)
    apps = open_apps(catalog)
    path = "/v1/contexts/sales/login"
    assert call_app(apps, "GET", path, app="vault", principal=READER) == {"length": len(CANARY)}
    assert call_app(apps, "GET", f"{path}/mine", app="vault") == {"length": len(CANARY)}
    with pytest.raises(AccessDenied):
        call_app(apps, "GET", f"{path}/mine", app="vault", principal=READER)
    apps.close()
