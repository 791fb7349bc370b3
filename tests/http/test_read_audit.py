"""Reads of metadata by programs are recorded where that is set (spec CAPTURE-13)."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.urns import ORDERS


def recorded(folder: Path) -> list[tuple[str, str, str]]:
    """Who read what through which kernel."""
    return [
        (one["user"], one["payload"]["accessor"]["details"]["kernel"], one["urn"])
        for one in lines(folder)
        if "urn" in one
    ]


def lines(folder: Path) -> list[Any]:
    """All that was recorded."""
    found = [json.loads(line) for file in sorted(folder.glob("reads-*.jsonl")) for line in file.open()]
    assert all((one["type"], one["payload"]["accessType"]) == ("ACCESS", "READ") for one in found)
    return found


async def query_everywhere(clients: dict[str, Any], **who: Any) -> list[int]:
    """List and search through each API."""
    api, datahub, openlineage = (clients[name] for name in ("api", "datahub", "openlineage"))
    found_by_v3 = {"query": "orders", "target": "dataset"}
    found = {"input": "orders", "entity": "dataset", "start": 0, "count": 10}
    listed = {"entity": "dataset", "start": 0, "count": 10}
    requested = [
        await api("GET", "search", params={"q": "orders", "type": "dataset"}, **who),
        await api("GET", "entities", params={"type": "dataset"}, **who),
        await api("GET", "keys", params={"prefix": "own"}, **who),
        await api("GET", "runs", **who),
        await api("GET", "changes", params={"type": "dataset", "limit": 100}, **who),
        await api("GET", "schemaspaces", "pipelines", "instances", **who),
        await clients["elyra"]("GET", "metadata", "pipelines", **who),
        await clients["v3"](
            "GET", "namespaces", "sales", "metadata", "search", params=found_by_v3, documented=False, **who
        ),
        await datahub("POST", "entities", params={"action": "search"}, body=found, **who),
        await datahub("POST", "entities", params={"action": "listUrns"}, body=listed, **who),
        await openlineage("GET", "api", "v1", "search", params={"q": "orders"}, **who),
    ]
    return [one.status for one in requested]


async def read_everywhere(api: Any, datahub: Any, **who: Any) -> list[int]:
    """Read the same entity through each API."""
    requested = [
        await api("GET", "entities", ORDERS, **who),
        await api("GET", "entities", ORDERS, "metadata", **who),
        await api("GET", "entities", ORDERS, "aspects", "status", **who),
        await datahub("GET", "entitiesV2", ORDERS, **who),
        await datahub("POST", "openapi", "v3", "entity", "dataset", "batchGet", body=[{"urn": ORDERS}], **who),
    ]
    return [one.status for one in requested]


class TestAudited:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        return tmp_path / "audit"

    @pytest.fixture
    def jp_server_config(self, jp_server_config: dict[str, Any], folder: Path) -> dict[str, Any]:
        colophon = jp_server_config["Colophon"] | {"audit_reads": True, "audit_folder": str(folder)}
        return {**jp_server_config, "Colophon": colophon}

    async def test_reads_of_programs_but_not_users_are_recorded(
        self, api: Any, datahub: Any, sales: None, kernel: Any, folder: Path
    ) -> None:
        assert await read_everywhere(api, datahub) == [200] * 5
        assert not folder.exists()
        assert await read_everywhere(api, datahub, anonymous=True, headers=kernel) == [200] * 5
        assert recorded(folder) == [("ada", "kernel-1", ORDERS)] * 5
        assert {file.stat().st_mode & 0o777 for file in (folder, *folder.iterdir())} == {0o700, 0o600}

    @pytest.fixture
    def clients(self, api: Any, datahub: Any, elyra: Any, openlineage: Any, jp_base_url: str) -> dict[str, Any]:
        v3 = replace(api, prefix=f"{jp_base_url}colophon/v3")
        return {"api": api, "datahub": datahub, "elyra": elyra, "openlineage": openlineage, "v3": v3}

    async def test_searches_of_programs_are_recorded_with_results(
        self, clients: dict[str, Any], sales: None, kernel: Any, folder: Path
    ) -> None:
        assert await query_everywhere(clients) == [200] * 11
        assert not folder.exists()
        assert await query_everywhere(clients, anonymous=True, headers=kernel) == [200] * 11
        found = lines(folder)
        assert {(one["user"], one["payload"]["accessor"]["details"]["kernel"]) for one in found} == {
            ("ada", "kernel-1")
        }
        # Each request is one line, however many reads it makes.
        operations = ["search", "list", "keys", "runs", "changes", "list", "list", "search", "search", "list", "search"]
        assert [one["operation"] for one in found] == operations
        assert found[0]["query"]["question"]["text"] == "orders"
        assert found[0]["query"]["question"]["filters"] == [["type", "dataset"]]
        with_orders = [at for at, one in enumerate(found) if ORDERS in one["urns"]]
        assert with_orders == [0, 1, 4, 7, 8, 9, 10]
        assert all(one["entities"] >= len(one["urns"]) for one in found)

    async def test_a_query_that_cannot_be_recorded_is_refused(
        self, clients: dict[str, Any], sales: None, kernel: Any, folder: Path
    ) -> None:
        folder.write_text("in the way")
        assert set(await query_everywhere(clients, anonymous=True, headers=kernel)) == {503}
        assert await query_everywhere(clients) == [200] * 11

    async def test_a_read_that_cannot_be_recorded_is_refused(
        self, api: Any, datahub: Any, sales: None, kernel: Any, folder: Path
    ) -> None:
        folder.write_text("in the way")
        assert set(await read_everywhere(api, datahub, anonymous=True, headers=kernel)) == {503}
        assert await read_everywhere(api, datahub) == [200] * 5


async def test_audit_is_off_by_default(api: Any, datahub: Any, sales: None, kernel: Any, jp_data_dir: Path) -> None:
    assert await read_everywhere(api, datahub, anonymous=True, headers=kernel) == [200] * 5
    assert not list(jp_data_dir.rglob("reads-*"))
