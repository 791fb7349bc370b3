"""Export namespaces as lines (core/entities/export_lines.py), and import them by a three-way merge."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.documents.merge import MergeConflict, merge_three_way
from jupyter_colophon.core.entities.entity import Aspect, EntityListing, EntitySummary
from jupyter_colophon.core.entities.export_lines import (
    ExportLine,
    compute_value_digest,
    format_export_header,
    format_export_line,
    parse_export_header,
    parse_export_lines,
)
from jupyter_colophon.core.entities.exported_aspects import is_aspect_exported, is_type_exported
from jupyter_colophon.core.errors import ConditionFailed, InvalidInstance, MalformedBody, NotFound, Problem
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.model.proposal import ABSENT, Proposal, WriteCondition
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.service.aspect_redaction import AspectRedactor
from jupyter_colophon.service.confidential_values import ConfidentialValues
from jupyter_colophon.service.entities.entities import EntityReader
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.entities import aspects, timeseries
from jupyter_colophon.storage.spi import Key, Row, TableContext

_PAGE = 100
#: How many aspects are written in one transaction.
_AT_ONCE = 200
#: How many values of one timeseries aspect are read in one transaction.
_VALUES_AT_ONCE = 1_000
#: How often a batch is compared again after concurrent writes.
_TRIES = 20
#: How many versions of an aspect are searched for the origin of a line.
_VERSIONS_MAX = 1_000
#: `updated`: only the line has changed since the export; `kept`: only the stored value has; `merged`: both have.
#: `review`: the change waits for review.
LineOutcome = Literal["created", "unchanged", "updated", "merged", "kept", "overwritten", "conflict", "review"]
#: Returns the lines from the first one on each call.
LineSource = Callable[[], Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class ImportedLine:
    """The outcome of importing a line, or of a dry run."""

    line: ExportLine
    outcome: LineOutcome


@dataclass(frozen=True, slots=True)
class NamespaceTransfer:
    """Exports and imports namespaces."""

    reader: EntityReader
    write_path: WritePath
    registry: Registry

    def export_namespace_lines(
        self, namespace: str, principal: Principal, types: Collection[str] = (), aspect_filter: Collection[str] = ()
    ) -> Iterator[str]:
        """Return the lines of a namespace, of all or of some entity types and aspects. Raises NotFound, InvalidInstance.

        They are sorted by type, name and URN of the entity and name of the aspect, so that equal content gives equal
        exports; a timeseries aspect has one line per value, by time. `core/entities/exported_aspects.py` has what is left
        out.
        """
        self.reader.read_entity(names.make_namespace_urn(namespace), [], principal)
        self._require_known_types_and_aspects(types, aspect_filter)
        return self._generate_export_lines(namespace, principal, types, aspect_filter)

    def import_and_merge_lines(
        self, source: LineSource, principal: Principal, *, overwrite: bool = False, dry_run: bool = False
    ) -> Iterator[ImportedLine]:
        """Import lines in batches. A value that both sides changed at the same place is a conflict and stays unchanged.

        Raises AccessDenied, NotFound, MalformedBody with the number of the first invalid line, before anything is written.
        """
        namespace = self._check_all_lines_and_get_namespace(iter(source()), principal, overwrite)
        if not dry_run:
            namespace_proposal = Proposal(names.make_namespace_urn(namespace), "status", "upsert", {"removed": False})
            self.write_path.apply_proposals_atomically([namespace_proposal], principal)
        lines = iter(source())
        parse_export_header(lines)
        lines_read = parse_export_lines(lines)
        while batch := list(islice(lines_read, _AT_ONCE)):
            yield from self._import_batch(batch, principal, overwrite, dry_run)

    def _require_known_types_and_aspects(self, types: Collection[str], aspect_filter: Collection[str]) -> None:
        aspect_names = {spec.name for kind in self.registry.types for spec in kind.aspects}
        kinds = {kind.type for kind in self.registry.types}
        problems = [
            Problem(f"/{member}/{at}", "unknown name")
            for member, requested, existing in (("types", types, kinds), ("aspects", aspect_filter, aspect_names))
            for at, name in enumerate(requested)
            if name not in existing
        ]
        if problems:
            raise InvalidInstance("the export", tuple(problems))

    def _generate_export_lines(
        self, namespace: str, principal: Principal, types: Collection[str], aspect_filter: Collection[str]
    ) -> Iterator[str]:
        yield format_export_header(namespace)
        for page in self._iterate_entity_pages(namespace, types, principal):
            for summary, aspects_by_name in self._run_read_transaction(
                lambda tx, page=page: self._read_exported_aspects(tx, page, principal)  # type: ignore[misc]
            ):
                for name in sorted(aspects_by_name):
                    is_chosen = not aspect_filter or name in aspect_filter
                    if is_chosen and is_aspect_exported(self.registry, summary.type, name):
                        aspect = aspects_by_name[name]
                        for value in (
                            self._read_timeseries_values(summary.urn, name) if aspect is None else (aspect.value,)
                        ):
                            yield format_export_line(summary.urn, name, value)

    def _iterate_entity_pages(
        self, namespace: str, types: Collection[str], principal: Principal
    ) -> Iterator[list[EntitySummary]]:
        for type_ in sorted(set(types)) or [""]:
            cursor: str | None = ""
            while cursor is not None:
                listing = EntityListing(namespace=namespace, type=type_, limit=_PAGE, cursor=cursor, removed=True)
                page, cursor = self.reader.list_visible_entities(listing, principal)
                yield [summary for summary in page if is_type_exported(self.registry, summary.type)]

    def _read_exported_aspects(
        self, tx: TableContext, page: list[EntitySummary], principal: Principal
    ) -> list[tuple[EntitySummary, dict[str, Aspect | None]]]:
        """Return the aspects of each entity; None for timeseries aspects, which may be long."""
        visible = AspectRedactor(tx, self.registry, self.reader.read_policy, principal)
        return [
            (
                summary,
                dict.fromkeys(timeseries.list_timeseries_aspects(tx, summary.urn))
                | visible.redact_aspects(
                    summary.urn, aspects.read_present_aspects(tx, self.registry, summary.type, summary.urn)
                ),
            )
            for summary in page
        ]

    def _read_timeseries_values(self, urn: str, name: str) -> Iterator[Mapping[str, Any]]:
        place: Key | None = ()
        while place is not None:
            rows, values = self._run_read_transaction(
                lambda tx, place=place: self._read_rows_and_visible_values(tx, urn, name, place)  # type: ignore[misc]
            )
            yield from values
            place = tuple(rows[-1][part] for part in timeseries.KEY) if len(rows) == _VALUES_AT_ONCE else None

    def _read_rows_and_visible_values(
        self, tx: TableContext, urn: str, name: str, after_key: Key
    ) -> tuple[list[Row], list[Mapping[str, Any]]]:
        """Return the next rows of a timeseries, and their values without those of confidential columns."""
        rows = timeseries.list_timeseries_rows_after(tx, urn, name, after_key, _VALUES_AT_ONCE)
        confidential = ConfidentialValues(tx, self.registry)
        values = (confidential.remove_values(urn, name, parse_stored_json(row["value"])) for row in rows)
        return rows, [value for value in values if value is not None]

    def _check_all_lines_and_get_namespace(self, lines: Iterator[bytes], principal: Principal, overwrite: bool) -> str:
        """Check every line; return the namespace of the export. Raises AccessDenied, NotFound, MalformedBody."""
        namespace = parse_export_header(lines)
        places: dict[str, int] = {}
        for line in parse_export_lines(lines):
            self.reader.read_policy.require_readable_entity(principal, line.urn)
            if overwrite:
                # Overwriting destroys values, also of user aspects.
                self.write_path.require_may_delete(principal, line.urn, line.aspect)
            places.setdefault(self.write_path.identity.get_namespace(line.urn), line.number)
            try:
                self.write_path.authorize_and_validate([_create_proposal_of_line(line, line.value)], principal)
            except (InvalidInstance, NotFound) as error:
                problems = [f"; {problem.pointer}: {problem.message}" for problem in error.problems[:1]]
                raise MalformedBody(f"line {line.number}: {error.detail}{''.join(problems)}", error.problems) from error
        for missing in self._list_missing_namespaces(places.keys() - {namespace, names.NO_NAMESPACE}):
            raise MalformedBody(
                f"line {places[missing]}: namespace {missing!r} does not exist, and is not the namespace of line 1"
            )
        return namespace

    def _list_missing_namespaces(self, namespaces: Collection[str]) -> list[str]:
        urns = {name: str(names.make_namespace_urn(name)) for name in sorted(namespaces)}
        existing = self._run_read_transaction(lambda tx: aspects.find_entity_summaries(tx, list(urns.values())))
        return [name for name, urn in urns.items() if urn not in existing]

    def _import_batch(
        self, lines: list[ExportLine], principal: Principal, overwrite: bool, dry_run: bool
    ) -> list[ImportedLine]:
        for attempt in range(1, _TRIES + 1):
            compared = self._run_read_transaction(
                lambda tx: [self._compare_line_with_stored_value(tx, line, principal, overwrite) for line in lines]
            )
            # Any other aspect would create the entity with a default status, so the status of the lines comes first.
            to_write = [proposal for _, proposal in compared if proposal is not None]
            reviewed = [proposal for proposal in to_write if self.write_path.is_review_required(proposal, principal)]
            proposals = sorted(
                (proposal for proposal in to_write if proposal not in reviewed),
                key=lambda proposal: proposal.aspect != "status",
            )
            try:
                if proposals and not dry_run:
                    self.write_path.apply_proposals_atomically(proposals, principal)
                if not dry_run:
                    self._hold_by_entity(reviewed, principal)
                return [
                    replace(outcome_line, outcome="review") if proposal in reviewed else outcome_line
                    for outcome_line, proposal in compared
                ]
            except ConditionFailed:
                if attempt == _TRIES:
                    raise
        return []

    def _hold_by_entity(self, proposals: Sequence[Proposal], principal: Principal) -> None:
        """Store the changes of each entity as one proposal that waits for review."""
        for urn in dict.fromkeys(proposal.urn for proposal in proposals):
            changes = [proposal for proposal in proposals if proposal.urn == urn]
            self.write_path.hold_batch(changes, urn, principal)

    def _compare_line_with_stored_value(
        self, tx: TableContext, line: ExportLine, principal: Principal, overwrite: bool
    ) -> tuple[ImportedLine, Proposal | None]:
        value = self._filter_system_metadata(line)
        if value is None:
            return ImportedLine(line, "unchanged"), None
        present, version = self._read_stored_value_and_version(tx, line)
        outcome, value = self._merge_line_and_determine_outcome(tx, replace(line, value=value), present, overwrite)
        if outcome in ("unchanged", "kept", "conflict"):
            return ImportedLine(line, outcome), None
        # Replace only the version that was compared.
        proposal = _create_proposal_of_line(line, value, version)
        if outcome == "merged":
            try:
                self.write_path.authorize_and_validate([proposal], principal)
            except InvalidInstance:
                return ImportedLine(line, "conflict"), None
        return ImportedLine(line, outcome), proposal

    def _read_stored_value_and_version(self, tx: TableContext, line: ExportLine) -> tuple[Any | None, int | None]:
        """Return the stored value for a line, and its version; timeseries values have none."""
        if self.registry.get_aspect(line.urn.type, line.aspect).timeseries:
            return timeseries.find_timeseries_value(
                tx, timeseries.get_timeseries_key(str(line.urn), line.aspect, line.value)
            ), None
        aspect = aspects.find_aspect(tx, self.registry, line.urn.type, str(line.urn), line.aspect)
        return (None, ABSENT) if aspect is None else (aspect.value, aspect.version)

    def _filter_system_metadata(self, line: ExportLine) -> Any | None:
        """Return the value after the system filter; None if nothing is left. User aspects are not filtered."""
        if self.registry.get_aspect(line.urn.type, line.aspect).scope == "USER":
            return line.value
        space = self.write_path.identity.get_namespace(line.urn)
        return self.write_path.system_filter.filter_aspect_keys(line.aspect, line.value, line.urn, space)

    def _merge_line_and_determine_outcome(
        self, tx: TableContext, line: ExportLine, present: Any | None, overwrite: bool
    ) -> tuple[LineOutcome, Any]:
        if present is None:
            return "created", line.value
        here = compute_value_digest(present)
        if here == compute_value_digest(line.value):
            return "unchanged", None
        if overwrite:
            return "overwritten", line.value
        if here == line.digest:
            return "updated", line.value
        earlier = (
            aspects.iterate_earlier_aspect_values(tx, str(line.urn), line.aspect, _VERSIONS_MAX) if line.digest else ()
        )
        base = next((value for value in earlier if compute_value_digest(value) == line.digest), None)
        if base is None:
            return "conflict", None
        if line.digest == compute_value_digest(line.value):
            return "kept", None
        try:
            return "merged", merge_three_way(base, line.value, present)
        except MergeConflict:
            return "conflict", None

    def _run_read_transaction(self, work: Callable[[TableContext], Any]) -> Any:
        return self.reader.provider.tx_runner.run(work, read_only=True)


def _create_proposal_of_line(line: ExportLine, value: Any, version: int | None = None) -> Proposal:
    return Proposal(line.urn, line.aspect, "upsert", value, WriteCondition(version=version))
