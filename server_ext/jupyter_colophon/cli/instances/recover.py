"""`recover`: what saves of Elyra's left behind when they were killed (spec INST-11). Elyra has no such command."""

from collections.abc import Sequence
from datetime import UTC, datetime

from jupyter_colophon.cli.instances.errors import Refusal
from jupyter_colophon.cli.instances.instances_protocol import Leftover
from jupyter_colophon.cli.instances.option import Option, flag
from jupyter_colophon.cli.instances.output import say, table
from jupyter_colophon.cli.instances.space_command import SpaceCommand


class Recover(SpaceCommand):
    """Lists leftovers, lets one be its instance again, or throws one away."""

    description = "Recover instances from what killed saves left behind."
    about = "List what killed saves left behind in {space}; with --name, let it be the instance again."
    declared = (
        Option("name", "The instance, whose own file is missing or cannot be read."),
        Option("file", "Which leftover it is; the newest one that can be read, unless this says another."),
        flag("discard", "Throw the leftover away instead; --file says which."),
        flag("json", "Answer in JSON"),
    )

    def work(self) -> bool:
        """List, recover or discard."""
        name, file, discards = self.args.name, self.args.file, self.args.discard
        found = self.source.leftovers(self.space)
        if not name:
            self._list(found)
            return True
        if discards and not file:
            raise Refusal("'--file' is a required parameter.", shows_help=True)
        file = file or next((one.file for one in found if one.name == name and not one.problem), "")
        if discards:
            self.source.discard(self.space, name, file)
            self.tell(
                {"schemaspace": self.space, "discarded": file}, f"'{file}' of schemaspace '{self.space}' removed."
            )
            return True
        path = self.source.recover(self.space, name, file)
        told = {"schemaspace": self.space, "recovered": name, "file": file, "resource": path}
        self.tell(told, f"Metadata instance '{name}' has been recovered from {file} to: {path}")
        return True

    def _list(self, found: Sequence[Leftover]) -> None:
        if self.json:
            rows = [{"name": one.name, "file": one.file, "time": _time(one), "state": _state(one)} for one in found]
            self.tell({"schemaspace": self.space, "recoveryFiles": rows})
        elif not found:
            say(f"No leftovers found for {self.space}")
        else:
            rows_told = [(one.name, one.file, _time(one), _state(one)) for one in found]
            table(("Instance", "File", "Time", "State"), rows_told)


def _time(leftover: Leftover) -> str:
    return datetime.fromtimestamp(leftover.time / 1_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _state(leftover: Leftover) -> str:
    if leftover.problem:
        return leftover.problem
    return "the instance is missing or broken" if leftover.missing else "the instance is sound"
