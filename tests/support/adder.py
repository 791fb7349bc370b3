"""Add lines to a snippet in a separate process; each line is read, added and saved on condition that nothing changed:
`adder.py NAME COUNT`.
"""

import sys

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import ConditionFailed
from jupyter_colophon.core.model.proposal import WriteCondition
from jupyter_colophon.schemaspaces import instances
from support.snippets import SPACE, build_snippet


def main(who: str, count: int) -> None:
    """Add the lines."""
    store = instances.get_or_create_instances_of_process()
    for number in range(count):
        while True:
            seen = store.get_valid_instance(SPACE, "shared", Principal(who))
            changed = build_snippet("Shared", code=[*seen.metadata["code"], f"{who}-{number}"])
            try:
                store.replace_instance(SPACE, "shared", changed, WriteCondition(version=seen.version), Principal(who))
            except ConditionFailed:
                continue
            break


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
