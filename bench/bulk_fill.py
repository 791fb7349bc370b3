"""Fill a catalog through the bulk path, to a number of entities, and continue a fill that was interrupted.

The entities are those of `corpus.py`, one aspect each; for every ten of them, a run of a program reads and writes four
datasets. A batch is identified by its number, so that a repeated one changes nothing.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from itertools import islice

import corpus
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.bulk_load import Batch, BatchResult
from jupyter_colophon.core.errors import NotFound, TransactionTimeout
from jupyter_colophon.core.identity.names import make_namespace_urn
from jupyter_colophon.core.identity.urn import Urn
from jupyter_colophon.core.lineage.run import Access, RunStart
from jupyter_colophon.core.model.proposal import Proposal

WHO, BATCH, LOAD = Principal("bench"), 500, "fill"
#: How many entities there are for each run, and how many datasets a run uses.
ENTITIES_OF_RUN, ACCESSES = 10, 4
_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class FillCost:
    """The seconds that writing entities and runs took, and CPU seconds of this process."""

    entities: int
    entities_s: float
    entities_cpu_s: float
    runs_s: float
    runs_cpu_s: float


def add_costs(costs: Sequence[FillCost]) -> FillCost:
    """Return the sum of costs."""
    return FillCost(*(sum(column) for column in zip(*map(astuple, costs), strict=True)))


def fill_catalog(catalog: Catalog, count: int) -> FillCost:
    """Write the entities that are missing up to `count`, a multiple of the batch size, and their runs."""
    first = count_filled_entities(catalog)
    if first == 0:
        places = [make_namespace_urn(f"ns{number:02}") for number in range(corpus.NAMESPACES)]
        catalog.write_path.apply_proposals_atomically(
            [Proposal(urn, "status", "upsert", {"removed": False}) for urn in places], WHO
        )
    catalog.loads.open_or_resume_load(LOAD, WHO)
    entities_s = entities_cpu_s = runs_s = runs_cpu_s = 0.0
    for number, proposals in _generate_batches(first, count):
        began, began_cpu = time.perf_counter(), time.process_time()
        result = _apply_batch(catalog, Batch(LOAD, 0, number, str(number)), proposals)
        between, between_cpu = time.perf_counter(), time.process_time()
        assert not result.refused
        _record_runs(catalog, number)
        entities_s, entities_cpu_s = entities_s + between - began, entities_cpu_s + between_cpu - began_cpu
        runs_s += time.perf_counter() - between
        runs_cpu_s += time.process_time() - between_cpu
    return FillCost(count - first, entities_s, entities_cpu_s, runs_s, runs_cpu_s)


def count_filled_entities(catalog: Catalog) -> int:
    """Return how many entities were written."""
    try:
        return catalog.loads.read_load_of_principal(LOAD, WHO).batches * BATCH
    except NotFound:
        return 0


def write_entity(catalog: Catalog, urn: Urn, number: int) -> object:
    """Create or update one entity with a value that no entity has, in a transaction of its own."""
    value = {"properties": {"note": f"{number} {time.time_ns()}", "owner": "ops"}, "tags": ["bench"]}
    return catalog.write_path.apply_proposals_atomically([Proposal(urn, "technicalMetadata", "upsert", value)], WHO)


def choose_datasets_of_run(run: int) -> list[int]:
    """Return the numbers of the datasets that a run uses, the one that it writes first; all are older than the run."""
    newest = max(1, run * ENTITIES_OF_RUN)
    # A prime step, so that neighbours are far apart; numbers that end in 4 or 9 are programs.
    numbers = [(run * 7_919 + step * 104_729) % newest for step in range(ACCESSES)]
    return [number - 1 if number % 5 == 4 else number for number in numbers]


def _generate_batches(first: int, count: int) -> Iterator[tuple[int, list[Proposal]]]:
    entities = corpus.generate_entities(count, first)
    for number in range(first // BATCH, count // BATCH):
        yield (
            number,
            [
                Proposal(corpus.parse_entity_urn(entity.number), "businessMetadata", "upsert", entity.value)
                for entity in islice(entities, BATCH)
            ],
        )


def _apply_batch(catalog: Catalog, batch: Batch, proposals: list[Proposal]) -> BatchResult:
    """Apply a batch. On a busy machine, a transaction may exceed its time limit: then it is tried again."""
    for _ in range(_ATTEMPTS - 1):
        with suppress(TransactionTimeout):
            return catalog.loads.apply_batch_once(batch, proposals, WHO)
    return catalog.loads.apply_batch_once(batch, proposals, WHO)


def _record_runs(catalog: Catalog, batch: int) -> None:
    for run in range(batch * BATCH // ENTITIES_OF_RUN, (batch + 1) * BATCH // ENTITIES_OF_RUN):
        program = corpus.parse_entity_urn(run // 10 * 5 + 4)
        start = 1_700_000_000_000 + run * corpus.RUN_MS
        urn = catalog.write_path.start_run(RunStart(program, f"run{run}", start, start + 1, "succeeded"), WHO).urn
        written, *read = choose_datasets_of_run(run)
        accesses = [Access(corpus.parse_entity_urn(written), "write")]
        accesses += [Access(corpus.parse_entity_urn(number), "read") for number in dict.fromkeys(read)]
        catalog.write_path.record_run_accesses(urn, accesses, [], WHO)
