"""Metrics for Prometheus, the ids of requests, and the log of requests."""

import asyncio
import json
import re
import stat
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from support.catalog import build_metadata_value
from support.urns import ORDERS

BUSINESS = ("entities", ORDERS, "aspects", "businessMetadata")
CANARY = "canary-5f2c"


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
    log = {"request_log": str(tmp_path / "requests.jsonl")}
    return {**jp_server_config, "Colophon": jp_server_config["Colophon"] | log}


async def read_samples(jp_fetch: Any) -> dict[tuple[str, tuple[str, ...]], float]:
    answer = await jp_fetch("colophon", "api", "metrics")
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    return {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(answer.body.decode())
        for sample in family.samples
    }


async def test_requests_are_counted_by_operation_and_status(api: Any, sales: None, jp_fetch: Any) -> None:
    assert (await api("PUT", *BUSINESS, body=build_metadata_value({"note": CANARY}))).status == 200
    assert (await api("GET", "entities", "urn:li:dataset:nowhere")).status in (400, 404)
    for _ in range(2):
        await api("GET", "me")
    samples = await read_samples(jp_fetch)
    assert samples["colophon_requests_total", ("readMe", "200")] == 2
    assert samples["colophon_requests_total", ("writeAspect", "200")] == 1
    assert samples["colophon_request_duration_seconds_count", ("write",)] == 2
    assert samples["colophon_up", ()] == 1
    assert samples["colophon_change_log_head", ()] > 1
    assert samples["colophon_work_stalled_seconds", ("inbox",)] == samples["colophon_work_pending", ("inbox",)] == 0
    assert samples["colophon_inbox_pending", ()] == samples["colophon_dead_letters", ()] == 0


async def test_metrics_name_no_data(api: Any, sales: None, jp_fetch: Any) -> None:
    await api("PUT", *BUSINESS, body=build_metadata_value({CANARY: CANARY}))
    await api("GET", "search", params={"q": CANARY})
    await api("GET", CANARY)
    text = (await jp_fetch("colophon", "api", "metrics")).body.decode()
    assert CANARY not in text
    assert ORDERS not in text


async def test_a_request_has_the_id_that_its_client_gave(api: Any, sales: None, jp_fetch: Any) -> None:
    answer = await jp_fetch("colophon", "api", "me", headers={"X-Request-Id": "build-17.4"})
    assert answer.headers["X-Request-Id"] == "build-17.4"
    invented = [(await api("GET", "me")).headers["X-Request-Id"] for _ in range(2)]
    assert len(set(invented)) == 2
    refused = await jp_fetch("colophon", "api", "me", headers={"X-Request-Id": "a b\tc"})
    assert refused.headers["X-Request-Id"] not in ("a b\tc", "")
    assert (await api("GET", "entities", "no-urn")).headers["X-Request-Id"]


async def test_requests_are_logged_without_names_of_data(api: Any, sales: None, tmp_path: Path) -> None:
    answer = await api("PUT", *BUSINESS, body=build_metadata_value({"note": CANARY}))
    await api("GET", "me", anonymous=True)
    await api("GET", CANARY)
    file = tmp_path / "requests.jsonl"
    # A thread of the log writes them.
    for _ in range(12_000):
        if file.read_text().count("\n") == 4:
            break
        await asyncio.sleep(0.01)
    _, written, refused, unknown = (json.loads(line) for line in file.read_text().splitlines())
    assert written["requestId"] == answer.headers["X-Request-Id"]
    assert (written["operation"], written["status"], written["method"]) == ("writeAspect", 200, "PUT")
    assert written["user"]
    assert written["durationMs"] > 0
    assert written["requestBytes"] > 0
    assert (refused["user"], refused["operation"], refused["status"]) == (None, "", 403)
    assert (unknown["operation"], unknown["status"]) == ("", 404)
    assert CANARY not in file.read_text()
    assert ORDERS not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


class TestWithoutAFile:
    @pytest.fixture
    def jp_server_config(self, jp_server_config: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
        away = {"request_log": str(tmp_path / "nowhere" / "requests.jsonl")}
        return {**jp_server_config, "Colophon": jp_server_config["Colophon"] | away}

    async def test_a_log_that_cannot_be_written_refuses_no_request(self, api: Any) -> None:
        assert (await api("GET", "me")).status == 200


async def test_the_dashboard_shows_metrics_that_exist(jp_fetch: Any) -> None:
    dashboard = Path(__file__).parents[2] / "examples" / "grafana" / "jupyter-colophon.json"
    named = set(re.findall(r"\bcolophon_\w+", dashboard.read_text()))
    await jp_fetch("colophon", "api", "me")
    served = {name for name, _ in await read_samples(jp_fetch)}
    # Only a server with sinks has it.
    assert named - served == {"colophon_sink_lag"}
