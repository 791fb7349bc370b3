"""Writers for the fault suite. As a script: several threads write until they are stopped, and report acknowledgements.

Each write has its own number. It is one batch on two datasets with both of their scopes, and every fourth one is also a
run that reads the one dataset and writes the other. So for each number the store must have all or nothing.
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
from faults.choice import open_choice
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import Access, RunStart
from jupyter_colophon.core.model.proposal import Proposal
from support.catalog import ADA, build_metadata_value
from support.urns import build_cell_urn, build_table_urn

TABLES = 6
ASPECTS = ("technicalMetadata", "businessMetadata")


@dataclass(frozen=True, slots=True)
class Write:
    """A write by its number."""

    number: str

    @property
    def urns(self) -> tuple[str, str]:
        """Return the two datasets."""
        first = int(self.number.split("-")[-1]) % TABLES
        return build_table_urn(f"t{first}"), build_table_urn(f"t{(first + 1) % TABLES}")

    @property
    def has_run(self) -> bool:
        """Return whether the write has a run."""
        return int(self.number.split("-")[-1]) % 4 == 0

    @property
    def value(self) -> dict[str, Any]:
        """Return the value of every aspect. Some are longer than one page."""
        return build_metadata_value(
            {"number": self.number, "filling": "x" * (hash_text(self.number) % 5_000)}, ["written"]
        )

    def apply(self, catalog: Catalog) -> list[list[Any]]:
        """Apply the write; return (URN, aspect, version) of what is acknowledged."""
        batch = [Proposal(Urn.parse(urn), aspect, "upsert", self.value) for urn in self.urns for aspect in ASPECTS]
        done = catalog.write_path.apply_proposals_atomically(batch, ADA)
        if self.has_run:
            self.apply_run(catalog)
        return [[str(one.urn), one.aspect, one.version] for one in done]

    def apply_run(self, catalog: Catalog) -> None:
        """Record its run and accesses; repeating that changes nothing."""
        start = RunStart(Urn.parse(build_cell_urn("c")), self.number, 1_000, 2_000, "succeeded")
        run = catalog.write_path.start_run(start, ADA).urn
        read, written = (Urn.parse(urn) for urn in self.urns)
        catalog.write_path.record_run_accesses(run, [Access(read, "read"), Access(written, "write")], [], ADA)


def hash_text(text: str) -> int:
    """Return a hash that is the same in every process."""
    return int.from_bytes(text.encode(), "big") * 2_654_435_761 % 2**32


def generate_numbers(writer: str, start: int) -> Iterator[str]:
    """Yield the numbers of one writer without end."""
    at = start
    while True:
        yield f"{writer}-{at}"
        at += 1


def write_on(catalog: Catalog, writer: str, start: int, acknowledged: int, most: int | None) -> None:
    """Write, and report each acknowledgement as a line of JSON to the descriptor `acknowledged`."""
    for number in generate_numbers(writer, start):
        if most is not None and int(number.split("-")[-1]) >= start + most:
            return
        try:
            done = Write(number).apply(catalog)
        except MetadataError as error:
            os.write(acknowledged, f"{json.dumps({'refused': number, 'why': type(error).__name__})}\n".encode())
            continue
        os.write(acknowledged, f"{json.dumps({'number': number, 'written': done})}\n".encode())


def main() -> None:
    """Run the writers. Arguments: the store, the file of acknowledgements (or -), name, first number, how many,
    threads, bugs.
    """
    store, acknowledgements, name, start, most, threads, *planted = sys.argv[1:]
    plants.plant(*planted)
    catalog = open_choice(store)
    descriptor = (
        1 if acknowledgements == "-" else os.open(acknowledgements, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    )
    arguments = (int(start), descriptor, int(most) if int(most) else None)
    writers = [threading.Thread(target=write_on, args=(catalog, f"{name}{n}", *arguments)) for n in range(int(threads))]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    catalog.close()


if __name__ == "__main__":
    main()
