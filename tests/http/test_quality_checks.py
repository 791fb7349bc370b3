"""Checks of datasets that users start on a server (docs/how-to/check-data-quality.md)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.urns import ORDERS

pytest.importorskip("pyspark")
pytestmark = pytest.mark.usefixtures("sales")
_FILE = "urn:li:dataset:(urn:li:dataPlatform:file,{},PROD)"
_EXPECTED = {
    "id-not-null": {"kind": "notNull", "column": "id"},
    "amount-range": {"kind": "range", "column": "amount", "min": 0, "severity": "warning"},
}


async def _start(api: Any, urn: str, **options: Any) -> Any:
    return await api("POST", "entities", urn, "quality", "checks", answers="pipeline-execution", **options)


async def test_the_data_is_checked_on_the_server_and_the_results_are_recorded(api: Any, tmp_path: Path) -> None:
    file = tmp_path / "orders.csv"
    file.write_text("id,amount\n1,5\n2,-3\n", "utf-8")
    urn = _FILE.format(file)
    written = await api("PUT", "entities", urn, "aspects", "expectations", body={"expectations": _EXPECTED})
    assert written.status == 200
    started = await _start(api, urn)
    assert (started.status, started.body["kind"], started.body["dataset"]) == (201, "check", urn)
    # Another click starts no other check.
    assert (await _start(api, urn)).body["id"] == started.body["id"]
    while True:
        read = await api("GET", "pipelines", "executions", started.body["id"], answers="pipeline-execution")
        if read.body["ended"] is not None:
            break
        await asyncio.sleep(0.2)
    assert (read.body["status"], read.body["problem"]) == ("succeeded", ""), read.body["log"]
    quality = (await api("GET", "entities", urn, "aspects", "quality")).body["value"]
    assert (quality["status"], quality["passed"], quality["warnings"]) == ("warning", 1, 1)
    result = quality["results"]["amount-range"]
    assert (result["failing"], result["samples"]) == (1, ["-3"])
    assert result["source"] == {"kind": "program", "run": started.body["run"], "name": "check"}
    run = (await api("GET", "runs", started.body["run"], answers="run")).body
    assert (run["status"], run["arguments"]["dataset"], run["facts"]["warnings"]) == ("succeeded", urn, 1)


@pytest.mark.parametrize(
    ("urn", "reason"),
    [
        ("urn:li:dataset:(urn:li:dataPlatform:kafka,orders,PROD)", "data of the platform kafka"),
        (_FILE.format("/absent/orders.csv"), "No such file or directory"),
        ("urn:li:tag:pii", "only datasets"),
    ],
)
async def test_data_that_the_server_cannot_read_is_refused_with_the_reason(urn: str, reason: str, api: Any) -> None:
    refused = await _start(api, urn)
    assert (refused.status, reason in refused.body["detail"]) == (400, True), refused.body


async def test_kernels_may_not_start_checks(api: Any, kernel: Any) -> None:
    refused = await _start(api, ORDERS, anonymous=True, headers=kernel)
    assert (refused.status, refused.body["detail"]) == (403, "you may not check data on the server")
