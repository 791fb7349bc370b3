"""One client of the race for versions: reads and conditional writes on shared names, each told before and after.

Arguments: the store, the client's name, how many operations, how many names, a folder, a plant. It writes a file
`<name>.ready` into the folder and begins when there is a file `go`.
"""

import json
import random
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from faults import plants
from faults.choice import catalog_of
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import AlreadyExists, ConditionFailed, NotFound, StorageError
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import ABSENT, Condition, Proposal
from support.catalog import ADA, metadata
from support.urns import table

ASPECT = "technicalMetadata"
NEW, THERE = ("upsert", "create", "create-entity"), ("upsert", "update")


def read(catalog: Catalog, urn: Urn) -> list[Any]:
    """(version, number), (-1, "") where there is nothing."""
    try:
        found = catalog.reader.aspect(urn, ASPECT, ADA)
    except NotFound:
        return [ABSENT, ""]
    return [found.version, found.value["properties"]["number"]]


def write(catalog: Catalog, urn: Urn, told: dict[str, Any]) -> list[int] | str | None:
    """[version], or that it was refused; None where nobody knows what became of it."""
    value = metadata({"number": told["new"]})
    try:
        version = str(told["expected"]) if told["as_text"] else told["expected"]
        proposal = Proposal(urn, ASPECT, told["operation"], value, Condition(version=version))
        return [catalog.write_path.propose([proposal], ADA)[0].version]
    except (ConditionFailed, AlreadyExists):
        return "refused"
    except StorageError:
        return None


def say(**told: Any) -> None:
    """One line of JSON."""
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Race."""
    store, name, operations, names, folder, *planted = sys.argv[1:]
    plants.plant(*planted)
    catalog, chance = catalog_of(store), random.Random(name)
    known: dict[str, int] = {}
    Path(folder, f"{name}.ready").touch()
    while not Path(folder, "go").exists():
        time.sleep(0.001)
    for at in range(int(operations)):
        urn = table(f"r{chance.randrange(int(names))}")
        told: dict[str, Any] = {"id": f"{name}-{at}", "key": urn, "kind": "read" if at % 2 == 0 else "write"}
        if told["kind"] == "write":
            expected = known.get(urn, ABSENT)
            # In every way that a client may say it: as a number or as text, or that it has to be new.
            operation = chance.choice(NEW if expected == ABSENT else THERE)
            told |= {"operation": operation, "as_text": chance.random() < 0.5, "expected": expected, "new": told["id"]}
        say(**told, call=time.monotonic_ns())
        result = read(catalog, Urn.parse(urn)) if told["kind"] == "read" else write(catalog, Urn.parse(urn), told)
        if result is None:
            continue
        if result != "refused":
            known[urn] = int(result[0])
        say(**{"id": told["id"], "return": time.monotonic_ns(), "result": result})
    catalog.close()


if __name__ == "__main__":
    main()
