"""What every test may use."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, settings
from jupyter_server.serverapp import ServerApp
from support import java
from support.memory import put_test_folders_in_memory

# The same examples every time, and no clock: a slow machine is no failure.
settings.register_profile(
    "colophon",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("colophon")
java.set_fast_java_options()
put_test_folders_in_memory()

#: Folders with files that run for minutes: with them first, no process works on alone at the end.
LONG = ["wheel", "sample", "kernel", "faults", "datahub", "openlineage", "cli"]

pytest_plugins = ["pytest_jupyter.jupyter_server"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--storage-provider",
        action="append",
        metavar="NAME",
        help="run the conformance suite of storage providers on this one alone (repeatable); default: on all",
    )
    parser.addoption(
        "--storage-option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="an option of an installed provider that is tested; {folder} in it is a fresh folder (repeatable)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Add the providers that are named and installed by other packages. Raises UsageError."""
    names = config.getoption("--storage-provider") or ()
    if not names:
        return
    from support.stores import STORES, add_installed_provider

    pairs = [option.partition("=") for option in config.getoption("--storage-option")]
    if wrong := [key for key, sign, _ in pairs if not sign]:
        raise pytest.UsageError(f"--storage-option={wrong[0]}: write KEY=VALUE")
    options = {key: value for key, _, value in pairs}
    for name in names:
        if name not in STORES and not add_installed_provider(name, options):
            raise pytest.UsageError(f"--storage-provider={name}: no installed package provides it")


@pytest.fixture(autouse=True)
def jp_server_cleanup(jp_asyncio_loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Clean up after a test with a server; pytest-jupyter would create a server for each other test to clean that up."""
    yield
    if not ServerApp.initialized():
        return
    app = ServerApp.instance()
    with suppress(RuntimeError, SystemExit):
        jp_asyncio_loop.run_until_complete(app._cleanup())
    if hasattr(app, "kernel_manager"):
        app.kernel_manager.context.destroy()
    ServerApp.clear_instance()


@pytest.fixture(autouse=True, scope="session")
def patient_transactions() -> None:
    """Let a transaction take as long as a busy machine needs; a test of the limit shortens it."""
    from jupyter_colophon.storage import transaction_lifetime

    transaction_lifetime.WRITE_S = 60.0


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: tests wait for processes that they start."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def place(item: pytest.Item) -> int:
        return next((at for at, folder in enumerate(LONG) if folder in item.path.parts), len(LONG))

    items.sort(key=place)
