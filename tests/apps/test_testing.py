"""The fixtures for authors: the tutorial's application and that of the template pass their tests with them."""

import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import copier

ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "docs/how-to/build-an-application.md"
DIRECTIVE = ROOT / "docs/how-to/write-a-directive.md"
WAIT_S = 300


def run_tests_of_package(folder: Path) -> str:
    """Run the tests of a package in a process of its own, and return the last line."""
    # The plugin is named in case this installation is older than its entry point.
    command = [sys.executable, "-m", "pytest", "-q", "-p", "jupyter_colophon.testing", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=WAIT_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip().splitlines()[-1]


def test_tutorial_builds_an_application_that_passes_its_tests(tmp_path: Path) -> None:
    blocks = re.findall(r"^   ```python\n(.*?)^   ```", TUTORIAL.read_text(), re.MULTILINE | re.DOTALL)
    app, tests = (dedent(block) for block in blocks)
    assert len([line for line in app.splitlines() if line.strip()]) <= 50
    package = tmp_path / "shop_watchlist"
    package.mkdir()
    (package / "__init__.py").write_text(app)
    (tmp_path / "test_shop_watchlist.py").write_text(tests)
    assert run_tests_of_package(tmp_path).startswith("3 passed")


def test_directive_of_the_page_passes_its_test(tmp_path: Path) -> None:
    blocks = re.findall(r"^   ```python\n(.*?)^   ```", DIRECTIVE.read_text(), re.MULTILINE | re.DOTALL)
    module, tests = (dedent(block) for block in blocks)
    (tmp_path / "shop_directives.py").write_text(module)
    (tmp_path / "test_shop_directives.py").write_text(tests)
    assert run_tests_of_package(tmp_path).startswith("1 passed")


def test_package_of_the_template_passes_its_tests(tmp_path: Path) -> None:
    folder = tmp_path / "shop-lists"
    copier.run_copy(
        str(ROOT / "examples/application"), folder, {"package": "shop-lists", "app": "lists"}, defaults=True, quiet=True
    )
    assert 'lists = "shop_lists:Lists"' in (folder / "pyproject.toml").read_text()
    assert run_tests_of_package(folder).startswith("3 passed")


def test_plugin_loads_nothing_before_a_fixture_is_used() -> None:
    script = (
        "import sys, pytest\nbefore = set(sys.modules)\nimport jupyter_colophon.testing\n"
        "print(sorted(name for name in set(sys.modules) - before if not name.startswith('jupyter_colophon')))\n"
        "print(sorted(name for name in sys.modules if name.startswith('jupyter_colophon.')))\n"
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=WAIT_S, check=True)
    assert shown.stdout.splitlines() == ["[]", "['jupyter_colophon.testing']"]


CLOCK = """
import time

from jupyter_colophon.apps import BadRequest, SystemApp, SystemAppUnavailable, TableSpec
import pytest


class First(SystemApp):
    def configure(self, configurer):
        configurer.create_table(TableSpec("rows", {"name": "string", "n": "int"}, ("name",)))
        configurer.add_handler("GET", "/now", lambda context, request: {"now": time.time()})
        configurer.add_handler("POST", "/size", lambda context, request: {"size": len(request.body)})


class Second(SystemApp):
    def configure(self, configurer):
        configurer.create_table(TableSpec("rows", {"name": "string", "n": "string"}, ("name",)))


def test_clock_passes_when_advanced(system_app, clock, table_admin):
    app = system_app(First)
    assert "app_first_rows" in table_admin.list()
    first = app.call("GET", "/now").document["now"]
    assert app.call("GET", "/now").document["now"] == first
    clock.advance(90)
    assert app.call("GET", "/now").document["now"] == pytest.approx(first + 90)
    assert app.call("POST", "/size", b"abc").document == {"size": 3}


def test_failed_upgrade_leaves_the_earlier_version(system_app):
    app = system_app(First, "counter")
    with pytest.raises(SystemAppUnavailable, match="n is int and cannot be changed to string"):
        system_app(Second, "counter", "2.0")
    assert app.call("POST", "/size", b"").document == {"size": 0}
"""


def test_clock_and_upgrades_can_be_tested(tmp_path: Path) -> None:
    (tmp_path / "test_clock.py").write_text(CLOCK)
    assert run_tests_of_package(tmp_path).startswith("2 passed")


EVENTS = """
import pytest
from jupyter_colophon.apps import (
    EntityCreated, EventListener, ProgramStatusChanged, Proposal, SystemApp, TableSpec, make_home_dataset_urn
)


class Count(EventListener):
    def on_event(self, context, event):
        if event.name == "bad":
            raise ValueError("no bad tables please")
        key = (event.namespace, getattr(event, "status", event.kind))
        context.execute(lambda tables: tables.get_table("counts").increment(key, "count", 1))


class Counter(SystemApp):
    def configure(self, configurer):
        fields = {"context": "string", "what": "string", "count": "long"}
        configurer.create_table(TableSpec("counts", fields, ("context", "what")))
        configurer.add_event_listener(Count(), types=[ProgramStatusChanged, EntityCreated], kinds=["dataJob", "dataset"])


@pytest.fixture
def counts(system_app, namespace, tx_runner):
    system_app(Counter)

    def read(what):
        row = tx_runner.run(lambda tx: tx.get_table("app_counter_counts").read((namespace, what)), read_only=True)
        return row and row["count"]

    return read


def test_runs_and_datasets_are_counted(counts, events, namespace):
    for status in ("failed", "failed", "running"):
        events.record_run("daily.ipynb", status)
    urn = make_home_dataset_urn(namespace, "orders")
    events.apply_proposals(Proposal(urn, "businessMetadata", "upsert", {"properties": {}, "tags": ["raw"]}))
    events.wait_until_handled()
    assert [counts(what) for what in ("failed", "running", "succeeded", "dataset")] == [2, 3, None, 1]


def test_failure_of_a_listener_is_raised(counts, events, namespace):
    urn = make_home_dataset_urn(namespace, "bad")
    events.apply_proposals(Proposal(urn, "businessMetadata", "upsert", {"properties": {}, "tags": ["raw"]}))
    with pytest.raises(RuntimeError, match="the listener Count failed at the event .*: ValueError: no bad tables please"):
        events.wait_until_handled()
"""


def test_listeners_can_be_tested(tmp_path: Path) -> None:
    (tmp_path / "test_events.py").write_text(EVENTS)
    assert run_tests_of_package(tmp_path).startswith("2 passed")
