"""`jupyter colophon relay` in a separate process on a store."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_colophon.core.store import StorageChoice


@dataclass
class RelayProcess:
    """A running relay and its standard error."""

    process: "subprocess.Popen[str]"
    errors: Path

    def kill(self) -> None:
        """Kill the relay."""
        self.process.kill()
        self.process.wait(timeout=300)

    def freeze(self) -> None:
        """Suspend the process, as a machine that hangs."""
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Resume the process."""
        self.process.send_signal(signal.SIGCONT)

    def stop(self) -> int:
        """Stop the relay as a supervisor does; return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=300)


def write_settings_file(folder: Path, store: StorageChoice, **settings: Any) -> Path:
    """Write a configuration file with these settings of `c.Colophon`."""
    values = {"storage_provider": store.provider, "storage_options": dict(store.options)} | settings
    if store.provider == "sqlite":
        values |= {"database": str(store.options["path"]), "storage_options": {}}
    file = folder / "relay_config.py"
    file.write_text("".join(f"c.Colophon.{name} = {value!r}\n" for name, value in values.items()))
    return file


@contextmanager
def start_relay_process(folder: Path, store: StorageChoice, **settings: Any) -> Iterator[RelayProcess]:
    """Start a relay; kill it at the end if it still runs."""
    folder.mkdir(parents=True, exist_ok=True)
    file, errors = write_settings_file(folder, store, **settings), folder / "errors"
    with errors.open("w") as words:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyter_colophon.cli", "relay", f"--config={file}"],
            stdout=subprocess.PIPE,
            stderr=words,
            text=True,
            env=_build_environment(folder),
        )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("relaying"), errors.read_text()
        yield RelayProcess(process, errors)
    finally:
        process.kill()
        process.communicate()


def run_refused_relay(folder: Path, store: StorageChoice, **settings: Any) -> tuple[int, str]:
    """Run a relay that cannot start; return its exit code and its error message."""
    command = [sys.executable, "-m", "jupyter_colophon.cli", "relay"]
    command.append(f"--config={write_settings_file(folder, store, **settings)}")
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, env=_build_environment(folder), check=False
    )
    return done.returncode, done.stderr


def _build_environment(folder: Path) -> Mapping[str, str]:
    own = {"JUPYTER_CONFIG_DIR": str(folder / "config"), "JUPYTER_DATA_DIR": str(folder / "data")}
    # Settings may name classes of the tests.
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, **own, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
