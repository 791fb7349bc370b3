"""A process that runs the system applications of a store until it is killed.

Arguments: the store, a folder of packages, and after how many seconds without a heartbeat another process continues.
"""

import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from faults.choice import open_choice
from jupyter_colophon.apps.events import listener_worker
from support.system_apps import open_apps


def main() -> None:
    """Run the applications."""
    store, packages, lease_s = sys.argv[1:]
    sys.path.insert(0, packages)
    setattr(listener_worker, "LEASE_S", float(lease_s))  # noqa: B010  it is Final
    apps = open_apps(open_choice(store))
    print(*(state.state for state in apps.list_states()), flush=True)  # noqa: T201
    threading.Event().wait()


if __name__ == "__main__":
    main()
