"""`jupyter colophon verify`."""

from collections.abc import Iterable, Sequence
from itertools import islice

from jupyter_colophon.cli.command import CliCommand
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.core.display_text import format_count_with_noun
from jupyter_colophon.core.integrity_issue import IntegrityIssue

#: Maximum number of findings that are listed: more usually have one cause.
FINDINGS_MAX = 1_000


class VerifyCommand(CliCommand):
    """Verify the integrity of a catalog."""

    description = (
        "Verify seals, versions, values, runs and derived data. Exits with 1 if there are findings. Nothing is changed,"
        " except that recent changes are sealed."
    )
    examples = ("", "--json")

    def run(self) -> int:
        """List the findings, one per line. Values are never shown."""
        with self.open_maintenance() as maintenance:
            findings = take_first_findings(maintenance.create_integrity_checker().find_issues())
        lines = [f"{finding.subject}: {finding.problem}" for finding in findings]
        lines.append(summarize_findings(findings))
        documents = [{"subject": finding.subject, "fault": finding.problem} for finding in findings]
        self.print_result({"sound": not findings, "findings": documents}, "\n".join(lines))
        return EXIT_FAILED if findings else EXIT_OK


def take_first_findings(findings: Iterable[IntegrityIssue]) -> list[IntegrityIssue]:
    """Return the first findings, at most `FINDINGS_MAX`."""
    return list(islice(findings, FINDINGS_MAX))


def summarize_findings(findings: Sequence[IntegrityIssue]) -> str:
    """Return the number of findings as text."""
    if len(findings) == FINDINGS_MAX:
        return f"{FINDINGS_MAX} findings or more; verification stopped"
    return format_count_with_noun(len(findings), "finding") if findings else "no problems found"
