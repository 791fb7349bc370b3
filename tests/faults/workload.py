"""Writers for the fault suite. As a script: several threads write until they are stopped, and say what was acknowledged.

Each write has a number of its own. It is one batch on two datasets with both of their scopes, and every fourth one is
a run that reads the one and writes the other as well. So of each number the store must know all or nothing.
"""

import json
import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from faults import plants
from faults.choice import catalog_of
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import Access, RunStart
from jupyter_colophon.core.model.proposal import Proposal
from support.catalog import ADA, metadata
from support.urns import cell, table

TABLES = 6
ASPECTS = ("technicalMetadata", "businessMetadata")


@dataclass(frozen=True, slots=True)
class Write:
    """One write by its number."""

    number: str

    @property
    def urns(self) -> tuple[str, str]:
        """The two datasets."""
        first = int(self.number.split("-")[-1]) % TABLES
        return table(f"t{first}"), table(f"t{(first + 1) % TABLES}")

    @property
    def has_run(self) -> bool:
        """Whether a run belongs to it."""
        return int(self.number.split("-")[-1]) % 4 == 0

    @property
    def value(self) -> dict[str, Any]:
        """What every aspect becomes. Long enough that it takes more than one page at times."""
        return metadata({"number": self.number, "filling": "x" * (hash_of(self.number) % 5_000)}, ["written"])

    def apply(self, catalog: Catalog) -> list[list[Any]]:
        """Write it; answers (URN, aspect, version) of what is acknowledged."""
        batch = [Proposal(Urn.parse(urn), aspect, "upsert", self.value) for urn in self.urns for aspect in ASPECTS]
        done = catalog.write_path.propose(batch, ADA)
        if self.has_run:
            self.apply_run(catalog)
        return [[str(one.urn), one.aspect, one.version] for one in done]

    def apply_run(self, catalog: Catalog) -> None:
        """Write its run and what that touched; doing so again changes nothing."""
        start = RunStart(Urn.parse(cell("c")), self.number, 1_000, 2_000, "succeeded")
        run = catalog.write_path.start_run(start, ADA).urn
        read, written = (Urn.parse(urn) for urn in self.urns)
        catalog.write_path.record_accesses(run, [Access(read, "read"), Access(written, "write")], [], ADA)


def hash_of(text: str) -> int:
    """The same number in every process."""
    return int.from_bytes(text.encode(), "big") * 2_654_435_761 % 2**32


def numbers(writer: str, start: int) -> Iterator[str]:
    """The numbers of one writer, for ever."""
    at = start
    while True:
        yield f"{writer}-{at}"
        at += 1


def write_on(catalog: Catalog, writer: str, start: int, acknowledged: int, most: int | None) -> None:
    """Write, and say so when it is done: one line of JSON to the descriptor `acknowledged`."""
    for number in numbers(writer, start):
        if most is not None and int(number.split("-")[-1]) >= start + most:
            return
        try:
            done = Write(number).apply(catalog)
        except MetadataError as error:
            os.write(acknowledged, f"{json.dumps({'refused': number, 'why': type(error).__name__})}\n".encode())
            continue
        os.write(acknowledged, f"{json.dumps({'number': number, 'written': done})}\n".encode())


def main() -> None:
    """Arguments: the store, the file of acknowledgements (or -), name, first number, how many, threads, plant."""
    store, told, name, start, most, threads, *planted = sys.argv[1:]
    plants.plant(*planted)
    catalog = catalog_of(store)
    descriptor = 1 if told == "-" else os.open(told, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    arguments = (int(start), descriptor, int(most) if int(most) else None)
    writers = [threading.Thread(target=write_on, args=(catalog, f"{name}{n}", *arguments)) for n in range(int(threads))]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    catalog.close()


if __name__ == "__main__":
    main()
