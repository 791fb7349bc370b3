"""`jupyter colophon …` in a process of its own; `test_start.py` is about how such a process starts."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support import warm
from support.packages import python_path


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def answer(self) -> Any:
        """What it answered in JSON."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Commands:
    """Commands as somebody calls them whose Jupyter directories are in a folder, and whose catalog is this one."""

    home: Path
    database: Path
    #: What the command is called by.
    before: tuple[str, ...] = ()
    #: What is in the environment besides.
    environment: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str, database: Path | None = None) -> Done:
        """Run one; whatever it meets, it says so in one line, and never with a traceback."""
        done = self.bare(*arguments, f"--database={database or self.database}")
        assert "Traceback" not in done.err
        assert done.err.count("\n") <= 1, done.err
        return done

    @property
    def whole_environment(self) -> dict[str, str]:
        """What a command finds in its environment."""
        return {
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            "HOME": str(self.home),
            "PYTHONPATH": python_path(),
            "JUPYTER_CONFIG_DIR": str(self.home / "config"),
            "JUPYTER_DATA_DIR": str(self.home / "data"),
            **self.environment,
        }

    def bare(self, *arguments: str) -> Done:
        """Run one as it stands."""
        if not self.before and "PYTHONPATH" not in self.environment:
            return Done(*warm.program()(arguments, self.home, self.whole_environment))
        done = subprocess.run(
            [*self.before, sys.executable, "-m", "jupyter_colophon.cli", *arguments],
            capture_output=True,
            text=True,
            timeout=300,
            env=self.whole_environment,
            cwd=self.home,
        )
        return Done(done.returncode, done.stdout, done.stderr)
