"""`jupyter colophon metadata …` in a folder, where the files of instances are too."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.commands import Commands, Done
from support.warm import Warm


@dataclass(frozen=True)
class Shell:
    """Calls the commands on instances."""

    commands: Commands
    warm: Warm

    def __call__(self, *words: str) -> Done:
        """Run one; it never ends with a traceback."""
        done = Done(*self.warm(words, self.home, self.commands.whole_environment, "jupyter_colophon.cli.metadata"))
        assert "Traceback" not in done.err
        assert "internal error" not in done.err
        return done

    @property
    def home(self) -> Path:
        """Where it is called."""
        return self.commands.home

    def path(self, space: str, name: str) -> Path:
        """The file of an instance."""
        return self.home / "data" / "metadata" / space / f"{name}.json"

    def read(self, space: str, name: str) -> Any:
        """What is in it."""
        return json.loads(self.path(space, name).read_text())

    def put(self, space: str, name: str, content: str | Mapping[str, Any]) -> Path:
        """Write it as another program does."""
        path = self.path(space, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path


def snippet(display_name: str = "Hello", **metadata: Any) -> dict[str, Any]:
    """A code snippet as a file has it."""
    told = {"language": "Python", "code": ["print('hello')"], **metadata}
    return {"display_name": display_name, "metadata": told, "schema_name": "code-snippet"}
