"""`recover`: what saves of Elyra's left behind when they were killed (spec INST-11). Elyra has no such command."""

from datetime import UTC, datetime

from jupyter_colophon.cli.instances.errors import Refusal
from jupyter_colophon.cli.instances.option import Option, flag
from jupyter_colophon.cli.instances.output import say, table
from jupyter_colophon.cli.instances.space_command import SpaceCommand
from jupyter_colophon.service.instances.recovery import Recovery


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
        services = self.client.require_services("leftovers are discarded" if discards else "leftovers are recovered")
        recovery = services.instances().recovery(self.space, services.principal, "admin")
        if not name:
            self._list(recovery)
            return True
        if discards and not file:
            raise Refusal("'--file' is a required parameter.", shows_help=True)
        file = file or next((one.file for one in recovery.leftovers() if one.name == name and not one.problem), "")
        if discards:
            recovery.discard(file, name)
            self.tell(
                {"schemaspace": self.space, "discarded": file}, f"'{file}' of schemaspace '{self.space}' removed."
            )
            return True
        recovery.recover(file, name)
        path = self.client.read_instance(self.space, name)["resource"]
        document = {"schemaspace": self.space, "recovered": name, "file": file, "resource": path}
        self.tell(document, f"Metadata instance '{name}' has been recovered from {file} to: {path}")
        return True

    def _list(self, recovery: Recovery) -> None:
        found = recovery.leftovers()
        if self.json:
            rows = [
                {
                    "name": one.name,
                    "file": one.file,
                    "time": _time(one.time),
                    "state": _state(one.problem, missing=one.missing),
                }
                for one in found
            ]
            self.tell({"schemaspace": self.space, "recoveryFiles": rows})
        elif not found:
            say(f"No leftovers found for {self.space}")
        else:
            rows_told = [
                (one.name, one.file, _time(one.time), _state(one.problem, missing=one.missing)) for one in found
            ]
            table(("Instance", "File", "Time", "State"), rows_told)


def _time(time_ms: int) -> str:
    return datetime.fromtimestamp(time_ms / 1_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _state(problem: str, *, missing: bool) -> str:
    return problem or ("the instance is missing or broken" if missing else "the instance is sound")
