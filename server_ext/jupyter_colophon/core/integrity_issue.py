"""Integrity issues, which checks of the catalog find."""

from typing import NamedTuple


class IntegrityIssue(NamedTuple):
    """The subject of the issue (a URN, a table, the change log), and the problem, without values that users wrote."""

    subject: str
    problem: str
