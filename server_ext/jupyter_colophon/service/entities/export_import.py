"""Export namespaces as lines (core/entities/export_lines.py), and import them by a three-way merge."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import stored
from jupyter_colophon.core.documents.merge import Clash, merged
from jupyter_colophon.core.entities.entity import Aspect, EntitySummary, Listing
from jupyter_colophon.core.entities.export_lines import Line, digest, format_head, format_line, read, read_head
from jupyter_colophon.core.errors import ConditionFailed, InvalidInstance, MalformedBody, NotFound, Problem
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.model.proposal import ABSENT, Condition, Proposal
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.service.aspect_redaction import VisibleValues
from jupyter_colophon.service.entities.entities import EntityReader
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.entities import aspects, timeseries
from jupyter_colophon.storage.spi import Key, TableContext

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
Outcome = Literal["created", "unchanged", "updated", "merged", "kept", "overwritten", "conflict"]
#: Returns the lines from the first one on each call.
Source = Callable[[], Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class ImportedLine:
    """The outcome of importing a line, or of a dry run."""

    line: Line
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class NamespaceTransfer:
    """Exports and imports namespaces."""

    reader: EntityReader
    write_path: WritePath
    registry: Registry

    def export(
        self, namespace: str, principal: Principal, types: Collection[str] = (), wanted: Collection[str] = ()
    ) -> Iterator[str]:
        """Return the lines of a namespace, of all or of some entity types and aspects. Raises NotFound, InvalidInstance.

        They are sorted by type, name and URN of the entity and name of the aspect, so that equal content gives equal
        exports; a timeseries aspect has one line per value, by time. Managed entities and aspects (instances of
        schemaspaces) are left out.
        """
        self.reader.entity(names.namespace(namespace), [], principal)
        self._require_known(types, wanted)
        return self._lines(namespace, principal, types, wanted)

    def import_lines(
        self, source: Source, principal: Principal, *, overwrite: bool = False, dry_run: bool = False
    ) -> Iterator[ImportedLine]:
        """Import lines in batches. A value that both sides changed at the same place is a conflict and stays unchanged.

        Raises AccessDenied, NotFound, MalformedBody with the number of the first invalid line, before anything is written.
        """
        namespace = self._check_lines(iter(source()), principal, overwrite)
        if not dry_run:
            made = Proposal(names.namespace(namespace), "status", "upsert", {"removed": False})
            self.write_path.propose([made], principal)
        lines = iter(source())
        read_head(lines)
        lines_read = read(lines)
        while batch := list(islice(lines_read, _AT_ONCE)):
            yield from self._import_batch(batch, principal, overwrite, dry_run)

    def _require_known(self, types: Collection[str], wanted: Collection[str]) -> None:
        known = {spec.name for kind in self.registry.types for spec in kind.aspects}
        kinds = {kind.type for kind in self.registry.types}
        problems = [
            Problem(f"/{member}/{at}", "unknown name")
            for member, asked, there in (("types", types, kinds), ("aspects", wanted, known))
            for at, one in enumerate(asked)
            if one not in there
        ]
        if problems:
            raise InvalidInstance("the export", tuple(problems))

    def _lines(
        self, namespace: str, principal: Principal, types: Collection[str], wanted: Collection[str]
    ) -> Iterator[str]:
        yield format_head(namespace)
        for page in self._pages(namespace, types, principal):
            for one, found in self._read(lambda tx, page=page: self._aspects(tx, page, principal)):  # type: ignore[misc]
                for name in sorted(found):
                    spec = self.registry.stored_aspect(one.type, name)
                    if not spec.key and not spec.door and (not wanted or name in wanted):
                        aspect = found[name]
                        for value in self._timeseries_values(one.urn, name) if aspect is None else (aspect.value,):
                            yield format_line(one.urn, name, value)

    def _pages(self, namespace: str, types: Collection[str], principal: Principal) -> Iterator[list[EntitySummary]]:
        for type_ in sorted(set(types)) or [""]:
            cursor: str | None = ""
            while cursor is not None:
                listing = Listing(namespace=namespace, type=type_, limit=_PAGE, cursor=cursor, removed=True)
                page, cursor = self.reader.entities(listing, principal)
                yield [one for one in page if not self.registry.stored_type(one.type).door]

    def _aspects(
        self, tx: TableContext, page: list[EntitySummary], principal: Principal
    ) -> list[tuple[EntitySummary, dict[str, Aspect | None]]]:
        """Return the aspects of each entity; None for timeseries aspects, which may be long."""
        visible = VisibleValues(tx, self.reader.gate, principal)
        return [
            (
                one,
                dict.fromkeys(timeseries.moments_of(tx, one.urn))
                | visible.aspects(aspects.present(tx, self.registry, one.type, one.urn)),
            )
            for one in page
        ]

    def _timeseries_values(self, urn: str, name: str) -> Iterator[Mapping[str, Any]]:
        place: Key | None = ()
        while place is not None:
            rows = self._read(lambda tx, place=place: timeseries.after(tx, urn, name, place, _VALUES_AT_ONCE))  # type: ignore[misc]
            yield from (stored(row["value"]) for row in rows)
            place = tuple(rows[-1][part] for part in timeseries.KEY) if len(rows) == _VALUES_AT_ONCE else None

    def _check_lines(self, lines: Iterator[bytes], principal: Principal, overwrite: bool) -> str:
        """Check every line; return the namespace of the export. Raises AccessDenied, NotFound, MalformedBody."""
        namespace = read_head(lines)
        places: dict[str, int] = {}
        for line in read(lines):
            self.reader.gate.require(principal, line.urn)
            if overwrite:
                # Overwriting destroys values, also of user aspects.
                self.write_path.require_deletion(principal, line.urn, line.aspect)
            places.setdefault(self.write_path.identity.namespace_of(line.urn), line.number)
            try:
                self.write_path.check([_proposal(line, line.value)], principal)
            except (InvalidInstance, NotFound) as error:
                problems = [f"; {one.pointer}: {one.message}" for one in error.problems[:1]]
                raise MalformedBody(f"line {line.number}: {error.detail}{''.join(problems)}", error.problems) from error
        for missing in self._missing(places.keys() - {namespace, names.NO_NAMESPACE}):
            raise MalformedBody(
                f"line {places[missing]}: namespace {missing!r} does not exist, and is not the namespace of line 1"
            )
        return namespace

    def _missing(self, namespaces: Collection[str]) -> list[str]:
        urns = {name: str(names.namespace(name)) for name in sorted(namespaces)}
        existing = self._read(lambda tx: aspects.summaries(tx, list(urns.values())))
        return [name for name, urn in urns.items() if urn not in existing]

    def _import_batch(
        self, lines: list[Line], principal: Principal, overwrite: bool, dry_run: bool
    ) -> list[ImportedLine]:
        for attempt in range(1, _TRIES + 1):
            compared = self._read(lambda tx: [self._compare(tx, line, principal, overwrite) for line in lines])
            # Any other aspect would create the entity with a default status, so the status of the lines comes first.
            wanted = [proposal for _, proposal in compared if proposal is not None]
            proposals = sorted(wanted, key=lambda one: one.aspect != "status")
            try:
                if proposals and not dry_run:
                    self.write_path.propose(proposals, principal)
                return [outcome_line for outcome_line, _ in compared]
            except ConditionFailed:
                if attempt == _TRIES:
                    raise
        return []

    def _compare(
        self, tx: TableContext, line: Line, principal: Principal, overwrite: bool
    ) -> tuple[ImportedLine, Proposal | None]:
        value = self._apply_system_filter(line)
        if value is None:
            return ImportedLine(line, "unchanged"), None
        present, version = self._present(tx, line)
        outcome, value = self._outcome(tx, replace(line, value=value), present, overwrite)
        if outcome in ("unchanged", "kept", "conflict"):
            return ImportedLine(line, outcome), None
        # Replace only the version that was compared.
        proposal = _proposal(line, value, version)
        if outcome == "merged":
            try:
                self.write_path.check([proposal], principal)
            except InvalidInstance:
                return ImportedLine(line, "conflict"), None
        return ImportedLine(line, outcome), proposal

    def _present(self, tx: TableContext, line: Line) -> tuple[Any | None, int | None]:
        """Return the stored value for a line, and its version; timeseries values have none."""
        if self.registry.aspect(line.urn.type, line.aspect).timeseries:
            return timeseries.at(tx, timeseries.key_of(str(line.urn), line.aspect, line.value)), None
        aspect = aspects.one(tx, self.registry, line.urn.type, str(line.urn), line.aspect)
        return (None, ABSENT) if aspect is None else (aspect.value, aspect.version)

    def _apply_system_filter(self, line: Line) -> Any | None:
        """Return the value after the system filter; None if nothing is left. User aspects are not filtered."""
        if self.registry.aspect(line.urn.type, line.aspect).scope == "USER":
            return line.value
        space = self.write_path.identity.namespace_of(line.urn)
        return self.write_path.system_filter.of_aspect(line.aspect, line.value, line.urn, space)

    def _outcome(self, tx: TableContext, line: Line, present: Any | None, overwrite: bool) -> tuple[Outcome, Any]:
        if present is None:
            return "created", line.value
        here = digest(present)
        if here == digest(line.value):
            return "unchanged", None
        if overwrite:
            return "overwritten", line.value
        if here == line.digest:
            return "updated", line.value
        earlier = aspects.earlier(tx, str(line.urn), line.aspect, _VERSIONS_MAX) if line.digest else ()
        base = next((value for value in earlier if digest(value) == line.digest), None)
        if base is None:
            return "conflict", None
        if line.digest == digest(line.value):
            return "kept", None
        try:
            return "merged", merged(base, line.value, present)
        except Clash:
            return "conflict", None

    def _read(self, work: Callable[[TableContext], Any]) -> Any:
        return self.reader.provider.tx_runner.run(work, read_only=True)


def _proposal(line: Line, value: Any, version: int | None = None) -> Proposal:
    return Proposal(line.urn, line.aspect, "upsert", value, Condition(version=version))
