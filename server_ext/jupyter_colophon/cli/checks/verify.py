"""`jupyter colophon verify`."""

from collections.abc import Iterable

from jupyter_colophon.cli.command import Command
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.core.integrity_issue import Finding

#: How many findings are listed: more of them have one cause.
FINDINGS_MAX = 1_000


class Verify(Command):
    """Checks a catalog."""

    description = (
        "Check that everything in the catalog is whole. Exits with 1 when it is not; changes nothing but seals."
    )

    def run(self) -> int:
        """Tell everything that is found, one a line; a value is never shown."""
        with self.keeper() as keeper:
            found = gathered(keeper.checker().findings())
        lines = [f"{one.subject}: {one.fault}" for one in found]
        lines.append(summary(found))
        documents = [{"subject": one.subject, "fault": one.fault} for one in found]
        self.answer({"sound": not found, "findings": documents}, "\n".join(lines))
        return EXIT_FAILED if found else EXIT_OK


def gathered(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, up to a number."""
    found = []
    for one in findings:
        found.append(one)
        if len(found) == FINDINGS_MAX:
            break
    return found


def summary(found: list[Finding]) -> str:
    """How many there are."""
    if len(found) == FINDINGS_MAX:
        return f"{FINDINGS_MAX} findings, and perhaps more: it was looked no further"
    return f"{len(found)} finding{'' if len(found) == 1 else 's'}" if found else "everything is whole"
