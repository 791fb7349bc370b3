"""What applications know of a run of a program."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from jupyter_colophon.core.identity.names import Urn, parse_program_urn
from jupyter_colophon.core.lineage.run import Run


@dataclass(frozen=True, slots=True)
class RunDetails:
    """A run as it is now. Times are in milliseconds since 1970; `end_ms` is None while it is running.

    `status` is `running`, `succeeded`, `failed` or `killed`, and `user` started it.
    """

    urn: str
    run_id: str
    #: The URN of the program, its name, and its type such as `workflows`; `jobs` for programs of other systems.
    program: str
    program_name: str
    program_type: str
    user: str
    status: str
    start_ms: int
    end_ms: int | None
    arguments: Mapping[str, str]

    @classmethod
    def from_run(cls, run: Run) -> Self:
        """Return the details of a run."""
        program = parse_program_urn(Urn.parse(run.program))
        type_ = "jobs" if program is None else program[2]
        return cls(
            *(run.urn, run.run_id, run.program, run.name, type_, run.actor, run.status, run.start, run.end),
            run.arguments,
        )
