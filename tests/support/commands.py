"""Run `jupyter colophon …` in a separate process; `test_start.py` tests the start of such a process."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support import fork_server
from support.packages import build_python_path


@dataclass(frozen=True)
class CommandResult:
    """The result of a command."""

    status: int
    out: str
    err: str

    @property
    def answer(self) -> Any:
        """The JSON document on standard output."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Commands:
    """Run commands with the Jupyter directories in a folder and with this catalog."""

    home: Path
    database: Path
    #: Arguments before the command.
    before: tuple[str, ...] = ()
    #: Additional environment variables.
    environment: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str, database: Path | None = None) -> CommandResult:
        """Run a command; an error is one line and never a traceback."""
        done = self.run(*arguments, f"--database={database or self.database}")
        assert "Traceback" not in done.err
        assert done.err.count("\n") <= 1, done.err
        return done

    @property
    def whole_environment(self) -> dict[str, str]:
        """All environment variables of a command."""
        return {
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            "HOME": str(self.home),
            "PYTHONPATH": build_python_path(),
            "JUPYTER_CONFIG_DIR": str(self.home / "config"),
            "JUPYTER_DATA_DIR": str(self.home / "data"),
            **self.environment,
        }

    def run(self, *arguments: str) -> CommandResult:
        """Run a command without further options."""
        if not self.before and "PYTHONPATH" not in self.environment:
            return CommandResult(*fork_server.get_fork_server()(arguments, self.home, self.whole_environment))
        done = subprocess.run(
            [*self.before, sys.executable, "-m", "jupyter_colophon.cli", *arguments],
            capture_output=True,
            text=True,
            timeout=300,
            env=self.whole_environment,
            cwd=self.home,
        )
        return CommandResult(done.returncode, done.stdout, done.stderr)
