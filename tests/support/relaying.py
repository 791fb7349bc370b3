"""`jupyter colophon relay` as somebody runs it: a process of its own on a store."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_colophon.core.store import StoreChoice


@dataclass
class Relaying:
    """A relay that runs, and where its words on stderr are."""

    process: "subprocess.Popen[str]"
    errors: Path

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait(timeout=300)

    def freeze(self) -> None:
        """Let it do nothing, and not know of it: a machine that hangs."""
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on where it was."""
        self.process.send_signal(signal.SIGCONT)

    def stop(self) -> int:
        """End it as a supervisor does; returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=300)


def settings_file(folder: Path, store: StoreChoice, **settings: Any) -> Path:
    """A config file of these settings of `c.Colophon`."""
    told = {"storage_provider": store.provider, "storage_options": dict(store.options)} | settings
    if store.provider == "sqlite":
        told |= {"database": str(store.options["path"]), "storage_options": {}}
    file = folder / "relay_config.py"
    file.write_text("".join(f"c.Colophon.{name} = {value!r}\n" for name, value in told.items()))
    return file


@contextmanager
def relaying(folder: Path, store: StoreChoice, **settings: Any) -> Iterator[Relaying]:
    """A relay that has begun; ended at the end if it still runs."""
    folder.mkdir(parents=True, exist_ok=True)
    file, errors = settings_file(folder, store, **settings), folder / "errors"
    with errors.open("w") as words:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyter_colophon.cli", "relay", f"--config={file}"],
            stdout=subprocess.PIPE,
            stderr=words,
            text=True,
            env=_environment(folder),
        )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("relaying"), errors.read_text()
        yield Relaying(process, errors)
    finally:
        process.kill()
        process.communicate()


def refused(folder: Path, store: StoreChoice, **settings: Any) -> tuple[int, str]:
    """How a relay ends that cannot begin: its exit code, and what it says."""
    command = [sys.executable, "-m", "jupyter_colophon.cli", "relay"]
    command.append(f"--config={settings_file(folder, store, **settings)}")
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=_environment(folder), check=False)
    return done.returncode, done.stderr


def _environment(folder: Path) -> Mapping[str, str]:
    own = {"JUPYTER_CONFIG_DIR": str(folder / "config"), "JUPYTER_DATA_DIR": str(folder / "data")}
    # What settings name may be a class of the tests.
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, **own, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
