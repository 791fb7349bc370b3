"""Import what other tools expect of datasets, and what they found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import InvalidInstance, InvalidName, Problem, quote_and_truncate_text
from jupyter_colophon.core.identity.names import Urn, parse_dataset_name
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.quality.imported import ImportedDataset
from jupyter_colophon.core.quality.results import EXPECTATIONS, QUALITY
from jupyter_colophon.service.quality.aspect_update import AspectUpdate
from jupyter_colophon.service.quality.recorder import QualityCheck, QualityRecorder
from jupyter_colophon.storage.spi import TableContext

#: The most datasets of an import.
DATASETS_MAX: Final = 500
SUBJECT: Final = "the import"


@dataclass(frozen=True, slots=True)
class ImportTarget:
    """A dataset in the catalog, and what is imported into it."""

    urn: Urn
    item: ImportedDataset


@dataclass(frozen=True, slots=True)
class QualityImporter:
    """Imports expectations and results. Each dataset is written by itself; to repeat an import is harmless."""

    recorder: QualityRecorder

    def find_targets(
        self, items: Sequence[ImportedDataset], names: Mapping[str, str], pointer: str
    ) -> list[ImportTarget]:
        """Return the datasets of the catalog by the names in the tool, or those that `names` gives them.

        Raises InvalidInstance with `pointer`, the place of the results, or that of a name.
        """
        if len(items) > DATASETS_MAX:
            problem = Problem(pointer, f"has {len(items)} datasets, and an import may have {DATASETS_MAX}")
            raise InvalidInstance(SUBJECT, (problem,))
        problems, targets = [], []
        for item in items:
            try:
                urn = parse_dataset_name(names.get(item.name, item.name), self.recorder.write_path.identity)
                if urn.type != "dataset":
                    raise InvalidName("dataset", str(urn), "it is the URN of another entity")
            except InvalidName as error:
                hint = (
                    ""
                    if item.name in names
                    else f"; name its dataset in datasets: {quote_and_truncate_text(item.name)}"
                )
                problems.append(Problem("/datasets" if item.name in names else pointer, f"{error.detail}{hint}"))
            else:
                targets.append(ImportTarget(urn, item))
        if problems:
            raise InvalidInstance(SUBJECT, tuple(problems))
        return targets

    def import_targets(self, targets: Sequence[ImportTarget], tool: str, principal: Principal) -> None:
        """Replace the expectations that came from the tool, and record the results.

        Everything is authorised and validated before anything is written. Raises InvalidInstance, NotFound, AccessDenied.
        """
        for target in targets:
            value = {"expectations": target.item.expectations}
            proposals = [
                Proposal(target.urn, EXPECTATIONS, "upsert", value),
                Proposal(target.urn, QUALITY, "patch", {}),
            ]
            self.recorder.write_path.authorize_and_validate(proposals, principal)
        for target in targets:
            self._import_target(target, tool, principal)

    def _import_target(self, target: ImportTarget, tool: str, principal: Principal) -> None:
        item = target.item
        if item.expectations:
            compute = partial(_replace_expectations, item, tool)
            AspectUpdate(target.urn, EXPECTATIONS, compute, "namespace").apply(self.recorder.write_path, principal)
        if item.results:
            source = {"kind": "import", "name": tool}
            check = QualityCheck(source, item.time or self.recorder.now(), item.results)
            self.recorder.record(target.urn, check, principal, None)


def _replace_expectations(
    item: ImportedDataset, tool: str, tx: TableContext, stored: Mapping[str, Any] | None
) -> Mapping[str, Any]:
    return item.replace_expectations(stored, tool)
