"""Run `jupyter colophon metadata …` in a folder that also has the files of instances."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.commands import CommandResult, Commands
from support.fork_server import ForkServer


@dataclass(frozen=True)
class InstanceShell:
    """Run the commands on instances."""

    commands: Commands
    warm: ForkServer

    def __call__(self, *words: str) -> CommandResult:
        """Run a command; it never ends with a traceback."""
        done = CommandResult(
            *self.warm(words, self.home, self.commands.whole_environment, "jupyter_colophon.cli.metadata")
        )
        assert "Traceback" not in done.err
        assert "internal error" not in done.err
        return done

    @property
    def home(self) -> Path:
        """The working directory."""
        return self.commands.home

    def get_instance_path(self, space: str, name: str) -> Path:
        """Return the file of an instance."""
        return self.home / "data" / "metadata" / space / f"{name}.json"

    def read_instance_file(self, space: str, name: str) -> Any:
        """Read the file of an instance."""
        return json.loads(self.get_instance_path(space, name).read_text())

    def write_instance_file(self, space: str, name: str, content: str | Mapping[str, Any]) -> Path:
        """Write the file of an instance as another program does."""
        path = self.get_instance_path(space, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path


def build_snippet_document(display_name: str = "Hello", **metadata: Any) -> dict[str, Any]:
    """Build a code snippet as it is in a file."""
    content = {"language": "Python", "code": ["print('hello')"], **metadata}
    return {"display_name": display_name, "metadata": content, "schema_name": "code-snippet"}
