"""Lineage listeners: each gets every run that ends, and a failing or hanging one does not affect the others."""

import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.lineage.run import RunChange
from jupyter_colophon.service.changes import lineage_listeners as consuming
from jupyter_colophon.service.changes.lineage_listeners import GROUP, LineageListenerManager
from support.catalog import ADA, record_run
from support.urns import CELL, ORDERS, REPORT, build_table_urn

#: A package with a listener that records its calls, one that raises, one that hangs, and two that do not load.
PACKAGE = """
import threading
from jupyter_colophon.metadata import LineageListener

REPORTED, RELEASE = [], threading.Event()


class Keeping(LineageListener):
    name = "keeping"

    def on_lineage(self, context, program_run, lineage):
        REPORTED.append((dict(context.properties), program_run, lineage))


class Raising(LineageListener):
    def on_lineage(self, context, program_run, lineage):
        raise SystemExit("CANARY no more\\nand a second line")


class Hanging(LineageListener):
    def on_lineage(self, context, program_run, lineage):
        RELEASE.wait(60)


class Other:
    pass
"""
POINTS = (
    "keeping = {0}:Keeping\nraising = {0}:Raising\nhanging = {0}:Hanging\nother = {0}:Other\nabsent = {0}:NotFound\n"
)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Install a package that registers listeners."""
    name = f"listeners_{tmp_path.name}".replace("-", "_")
    (tmp_path / f"{name}.py").write_text(PACKAGE)
    about = tmp_path / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{GROUP}]\n{POINTS.format(name)}")
    monkeypatch.syspath_prepend(str(tmp_path))
    module = __import__(name)
    yield module
    module.RELEASE.set()
    sys.modules.pop(name)


@contextmanager
def served(catalog: Catalog, **options: Any) -> Iterator[LineageListenerManager]:
    """Yield the listeners of a server on this catalog."""
    found = LineageListenerManager(catalog.provider, catalog.feed, options)
    found.load_and_start()
    try:
        yield found
    finally:
        found.stop_listeners()


def until(holds: Any) -> None:
    """Wait until the condition holds."""
    for _ in range(12_000):
        if holds():
            return
        threading.Event().wait(0.01)
    raise AssertionError("it does not come")


def ready(listeners: LineageListenerManager, count: int = 3) -> None:
    """Wait until this number of listeners has a cursor."""
    until(lambda: sum(one.cursor is not None for one in listeners.get_listener_states()) == count)


def ended(catalog: Catalog, run_id: str, **accesses: str) -> str:
    """Record a completed run with accesses, by dataset and mode; return its URN."""
    run = record_run(
        catalog, CELL, run_id, *((mode, build_table_urn(name)) for name, mode in accesses.items()), start=1_000
    )
    catalog.write_path.update_run(run, RunChange("succeeded", 5_000), ADA)
    return run


def test_listener_gets_each_ended_run_with_inputs_and_outputs(catalog: Catalog, package: Any) -> None:
    ended(catalog, "before", orders="read")
    with served(catalog, keeping={"place": "here"}) as listeners:
        ready(listeners)
        first = ended(catalog, "r1", orders="read", report="write", both="both", what="unknown")
        second = ended(catalog, "r2")
        until(lambda: len(package.REPORTED) == 2)
    (properties, run, lineage), (_, other, nothing) = package.REPORTED
    assert properties == {"place": "here"}
    assert (run.program, run.run_id, run.urn, run.status, run.actor) == (CELL, "r1", first, "succeeded", "ada")
    assert lineage.sources == {ORDERS, build_table_urn("both"), build_table_urn("what")}
    assert lineage.targets == {REPORT, build_table_urn("both"), build_table_urn("what")}
    assert lineage.source_to_targets == dict.fromkeys(lineage.sources, lineage.targets)
    assert lineage.target_to_sources == dict.fromkeys(lineage.targets, lineage.sources)
    assert (lineage.start_ms, lineage.end_ms) == (1_000, 5_000)
    assert (other.urn, nothing.sources, nothing.source_to_targets) == (second, frozenset(), {})
    assert lineage.lineage_id != nothing.lineage_id


def test_failing_hanging_or_broken_listener_is_counted_and_isolated(
    catalog: Catalog, package: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(consuming, "TIMEOUT_S", 2.0)
    monkeypatch.setattr(consuming, "WATCH_S", 0.02)
    with caplog.at_level(logging.WARNING), served(catalog) as listeners:
        ready(listeners)
        for number in range(3):
            ended(catalog, f"r{number}", orders="read")

        def states() -> dict[str, Any]:
            return {one.name: one for one in listeners.get_listener_states()}

        until(lambda: len(package.REPORTED) == 3 and states()["raising"].failed == 3 and states()["hanging"].failed)
        found = states()
    assert (found["keeping"].delivered, found["keeping"].failed, found["keeping"].version) == (3, 0, "1.0")
    assert (found["raising"].delivered, found["raising"].problem) == (0, "SystemExit: CANARY no more")
    assert (found["hanging"].failed, found["hanging"].timed_out) == (1, True)
    assert "LineageListener" in found["other"].problem
    assert found["absent"].problem.startswith("AttributeError")
    assert "raising of the package listeners_" in caplog.text
    assert "did not return" in caplog.text


def test_restarted_listener_continues_after_last_delivered_run(catalog: Catalog, package: Any) -> None:
    with served(catalog, hanging=False, raising=False) as listeners:
        ready(listeners, 1)
        ended(catalog, "r1")
        until(lambda: len(package.REPORTED) == 1)
    ended(catalog, "r2")
    ended(catalog, "r3")
    with served(catalog, hanging=False, raising=False):
        until(lambda: len(package.REPORTED) == 3)
    assert [run.run_id for _, run, _ in package.REPORTED] == ["r1", "r2", "r3"]


def test_abandoned_run_is_not_delivered_again(catalog: Catalog, package: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consuming, "TIMEOUT_S", 0.1)
    monkeypatch.setattr(consuming, "WATCH_S", 0.02)
    monkeypatch.setattr(consuming, "LEASE_S", 0.2)

    def hanging(listeners: LineageListenerManager) -> Any:
        return next(one for one in listeners.get_listener_states() if one.name == "hanging")

    with served(catalog, keeping=False, raising=False) as listeners:
        ready(listeners, 1)
        ended(catalog, "hangs")
        until(lambda: hanging(listeners).failed)
    package.RELEASE.set()
    # The second server is not limited by the short timeout.
    monkeypatch.setattr(consuming, "TIMEOUT_S", 60.0)
    with served(catalog, keeping=False, raising=False) as listeners:
        ready(listeners, 1)
        ended(catalog, "after")
        until(lambda: hanging(listeners).delivered)
        assert (hanging(listeners).delivered, hanging(listeners).failed) == (1, 0)


def test_one_of_several_servers_notifies(catalog: Catalog, package: Any) -> None:
    with (
        served(catalog, hanging=False, raising=False) as one,
        served(catalog, hanging=False, raising=False) as other,
    ):
        ready(one, 1)
        ready(other, 1)
        for number in range(20):
            ended(catalog, f"r{number}")
        until(lambda: len(package.REPORTED) >= 20)
        until(
            lambda: (
                max(found.get_listener_states()[0].cursor or 0 for found in (one, other))
                >= catalog.feed.read_newest_change_number()
            )
        )
    assert [run.run_id for _, run, _ in package.REPORTED] == [f"r{number}" for number in range(20)]
