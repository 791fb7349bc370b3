"""Reads of metadata by programs are recorded where that is set (spec CAPTURE-13)."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.urns import ORDERS


def recorded(folder: Path) -> list[tuple[str, str, str]]:
    """Who read what through which kernel."""
    lines = [json.loads(line) for file in sorted(folder.glob("reads-*.jsonl")) for line in file.open()]
    assert all((one["type"], one["payload"]["accessType"]) == ("ACCESS", "READ") for one in lines)
    return [(one["user"], one["payload"]["accessor"]["details"]["kernel"], one["urn"]) for one in lines]


async def read_everywhere(api: Any, datahub: Any, **who: Any) -> list[int]:
    """Read the same entity through each API."""
    asked = [
        await api("GET", "entities", ORDERS, **who),
        await api("GET", "entities", ORDERS, "metadata", **who),
        await api("GET", "entities", ORDERS, "aspects", "status", **who),
        await datahub("GET", "entitiesV2", ORDERS, **who),
        await datahub("POST", "openapi", "v3", "entity", "dataset", "batchGet", body=[{"urn": ORDERS}], **who),
    ]
    return [one.status for one in asked]


class TestAudited:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        return tmp_path / "audit"

    @pytest.fixture
    def jp_server_config(self, jp_server_config: dict[str, Any], folder: Path) -> dict[str, Any]:
        colophon = jp_server_config["Colophon"] | {"audit_reads": True, "audit_folder": str(folder)}
        return {**jp_server_config, "Colophon": colophon}

    async def test_what_a_program_reads_is_recorded_and_what_people_read_is_not(
        self, api: Any, datahub: Any, sales: None, kernel: Any, folder: Path
    ) -> None:
        assert await read_everywhere(api, datahub) == [200] * 5
        assert not folder.exists()
        assert await read_everywhere(api, datahub, anonymous=True, headers=kernel) == [200] * 5
        assert recorded(folder) == [("ada", "kernel-1", ORDERS)] * 5
        assert {file.stat().st_mode & 0o777 for file in (folder, *folder.iterdir())} == {0o700, 0o600}

    async def test_a_read_that_cannot_be_recorded_is_refused(
        self, api: Any, datahub: Any, sales: None, kernel: Any, folder: Path
    ) -> None:
        folder.write_text("in the way")
        assert set(await read_everywhere(api, datahub, anonymous=True, headers=kernel)) == {503}
        assert await read_everywhere(api, datahub) == [200] * 5


async def test_nothing_is_recorded_by_default(
    api: Any, datahub: Any, sales: None, kernel: Any, jp_data_dir: Path
) -> None:
    assert await read_everywhere(api, datahub, anonymous=True, headers=kernel) == [200] * 5
    assert not list(jp_data_dir.rglob("reads-*"))
