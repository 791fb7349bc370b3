"""A client of the race for versions: reads and conditional writes on shared names, reported before and after.

Arguments: the store, the client's name, the number of operations, the number of names, a folder, bugs. It writes a file
`<name>.ready` into the folder and begins when the file `go` exists.
"""

import json
import random
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from faults import plants
from faults.choice import open_choice
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import AlreadyExists, ConditionFailed, NotFound, StorageError
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import ABSENT, Proposal, WriteCondition
from support.catalog import ADA, build_metadata_value
from support.urns import build_table_urn

ASPECT = "technicalMetadata"
NEW, THERE = ("upsert", "create", "create-entity"), ("upsert", "update")


def read(catalog: Catalog, urn: Urn) -> list[Any]:
    """Return (version, number), (-1, "") if there is none."""
    try:
        found = catalog.reader.read_current_aspect(urn, ASPECT, ADA)
    except NotFound:
        return [ABSENT, ""]
    return [found.version, found.value["properties"]["number"]]


def write(catalog: Catalog, urn: Urn, request: dict[str, Any]) -> list[int] | str | None:
    """Return [version], or that the write was rejected; None if the outcome is unknown."""
    value = build_metadata_value({"number": request["new"]})
    try:
        version = str(request["expected"]) if request["as_text"] else request["expected"]
        proposal = Proposal(urn, ASPECT, request["operation"], value, WriteCondition(version=version))
        return [catalog.write_path.apply_proposals_atomically([proposal], ADA)[0].version]
    except (ConditionFailed, AlreadyExists):
        return "refused"
    except StorageError:
        return None


def print_line(**request: Any) -> None:
    """Write a line of JSON."""
    sys.stdout.write(json.dumps(request) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Run the race."""
    store, name, operations, names, folder, *planted = sys.argv[1:]
    plants.plant(*planted)
    catalog, chance = open_choice(store), random.Random(name)
    known: dict[str, int] = {}
    Path(folder, f"{name}.ready").touch()
    while not Path(folder, "go").exists():
        time.sleep(0.001)
    for at in range(int(operations)):
        urn = build_table_urn(f"r{chance.randrange(int(names))}")
        request: dict[str, Any] = {"id": f"{name}-{at}", "key": urn, "kind": "read" if at % 2 == 0 else "write"}
        if request["kind"] == "write":
            expected = known.get(urn, ABSENT)
            # A client may give the version as a number or as text, or require that the aspect is new.
            operation = chance.choice(NEW if expected == ABSENT else THERE)
            request |= {
                "operation": operation,
                "as_text": chance.random() < 0.5,
                "expected": expected,
                "new": request["id"],
            }
        print_line(**request, call=time.monotonic_ns())
        result = read(catalog, Urn.parse(urn)) if request["kind"] == "read" else write(catalog, Urn.parse(urn), request)
        if result is None:
            continue
        if result != "refused":
            known[urn] = int(result[0])
        print_line(**{"id": request["id"], "return": time.monotonic_ns(), "result": result})
    catalog.close()


if __name__ == "__main__":
    main()
