"""What a check of the catalog found wrong."""

from typing import NamedTuple


class Finding(NamedTuple):
    """Where something is wrong (a URN, a table, the change log), and what; never a value that somebody wrote."""

    subject: str
    fault: str
