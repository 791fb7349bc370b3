"""Namespaces as lines (core/entities/export_lines.py), and the three-way merge of them back: what was changed here since, and in them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import stored
from jupyter_colophon.core.documents.merge import Clash, merged
from jupyter_colophon.core.entities.entity import Aspect, EntitySummary, Listing
from jupyter_colophon.core.entities.export_lines import Line, digest, head, read, read_head, written
from jupyter_colophon.core.errors import ConditionFailed, InvalidInstance, MalformedBody, NotFound, Problem
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.model.proposal import ABSENT, Condition, Proposal
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.service.aspect_redaction import VisibleValues
from jupyter_colophon.service.entities.entities import Reader
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.entities import aspects, timeseries
from jupyter_colophon.storage.spi import Key, TableContext

_PAGE = 100
#: How many aspects are written in one transaction.
_AT_ONCE = 200
#: How many values of one aspect that is told by time are read in one transaction.
_MOMENTS = 1_000
#: How often a part is judged again where others wrote meanwhile.
_TRIES = 20
#: How far back a line's origin is looked for among the versions of its aspect.
_VERSIONS_MAX = 1_000
#: `updated`: only the line was changed since it was written; `kept`: only what is here was; `merged`: both were.
Outcome = Literal["created", "unchanged", "updated", "merged", "kept", "overwritten", "conflict"]
#: Gives the lines, from the first one, each time that it is called.
Source = Callable[[], Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class Told:
    """What became of a line, or would."""

    line: Line
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Transfer:
    """Exports namespaces and takes them in."""

    reader: Reader
    write_path: WritePath
    registry: Registry

    def exported(
        self, namespace: str, principal: Principal, types: Collection[str] = (), wanted: Collection[str] = ()
    ) -> Iterator[str]:
        """The lines of a namespace: of all entity types and aspects, or of those alone. Raises NotFound, InvalidInstance.

        They come by type, name and URN of the entity and name of the aspect, so that two exports of the same are equal;
        what an aspect says of moments comes by time, a line each.
        What has a door of its own (instances of schemaspaces) is left out.
        """
        self.reader.entity(names.namespace(namespace), [], principal)
        self._require_known(types, wanted)
        return self._lines(namespace, principal, types, wanted)

    def imported(
        self, source: Source, principal: Principal, *, overwrite: bool = False, dry_run: bool = False
    ) -> Iterator[Told]:
        """Take lines in, some at a time. What both sides changed at the same place is a conflict, and left as it is.

        Raises AccessDenied, NotFound, MalformedBody with the number of the first line that cannot be taken in, before
        anything is written.
        """
        namespace = self._checked(iter(source()), principal, overwrite)
        if not dry_run:
            made = Proposal(names.namespace(namespace), "status", "upsert", {"removed": False})
            self.write_path.propose([made], principal)
        lines = iter(source())
        read_head(lines)
        told = read(lines)
        while some := list(islice(told, _AT_ONCE)):
            yield from self._taken_in(some, principal, overwrite, dry_run)

    def _require_known(self, types: Collection[str], wanted: Collection[str]) -> None:
        known = {spec.name for kind in self.registry.types for spec in kind.aspects}
        kinds = {kind.type for kind in self.registry.types}
        problems = [
            Problem(f"/{member}/{at}", "there is none of this name")
            for member, asked, there in (("types", types, kinds), ("aspects", wanted, known))
            for at, one in enumerate(asked)
            if one not in there
        ]
        if problems:
            raise InvalidInstance("the export", tuple(problems))

    def _lines(
        self, namespace: str, principal: Principal, types: Collection[str], wanted: Collection[str]
    ) -> Iterator[str]:
        yield head(namespace)
        for page in self._pages(namespace, types, principal):
            for one, found in self._read(lambda tx, page=page: self._aspects(tx, page, principal)):  # type: ignore[misc]
                for name in sorted(found):
                    spec = self.registry.stored_aspect(one.type, name)
                    if not spec.key and not spec.door and (not wanted or name in wanted):
                        held = found[name]
                        for value in self._moments(one.urn, name) if held is None else (held.value,):
                            yield written(one.urn, name, value)

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
        """The aspects of each entity; None for what is told by time, which may be long."""
        visible = VisibleValues(tx, self.reader.gate, principal)
        return [
            (
                one,
                dict.fromkeys(timeseries.told(tx, one.urn))
                | visible.aspects(aspects.present(tx, self.registry, one.type, one.urn)),
            )
            for one in page
        ]

    def _moments(self, urn: str, name: str) -> Iterator[Mapping[str, Any]]:
        place: Key | None = ()
        while place is not None:
            rows = self._read(lambda tx, place=place: timeseries.after(tx, urn, name, place, _MOMENTS))  # type: ignore[misc]
            yield from (stored(row["value"]) for row in rows)
            place = tuple(rows[-1][part] for part in timeseries.KEY) if len(rows) == _MOMENTS else None

    def _checked(self, lines: Iterator[bytes], principal: Principal, overwrite: bool) -> str:
        """The namespace of the lines, all of which could be written. Raises AccessDenied, NotFound, MalformedBody."""
        namespace = read_head(lines)
        places: dict[str, int] = {}
        for line in read(lines):
            self.reader.gate.require(principal, line.urn)
            if overwrite:
                # What is overwritten is lost, people's aspects too.
                self.write_path.require_deletion(principal, line.urn, line.aspect)
            places.setdefault(self.write_path.identity.namespace_of(line.urn), line.number)
            try:
                self.write_path.check([_proposal(line, line.value)], principal)
            except (InvalidInstance, NotFound) as error:
                problems = [f"; {one.pointer}: {one.message}" for one in error.problems[:1]]
                raise MalformedBody(f"line {line.number}: {error.detail}{''.join(problems)}", error.problems) from error
        for missing in self._missing(places.keys() - {namespace, names.NO_NAMESPACE}):
            raise MalformedBody(
                f"line {places[missing]}: there is no namespace {missing!r}, and it is not the one of line 1"
            )
        return namespace

    def _missing(self, namespaces: Collection[str]) -> list[str]:
        urns = {name: str(names.namespace(name)) for name in sorted(namespaces)}
        there = self._read(lambda tx: aspects.summaries(tx, list(urns.values())))
        return [name for name, urn in urns.items() if urn not in there]

    def _taken_in(self, lines: list[Line], principal: Principal, overwrite: bool, dry_run: bool) -> list[Told]:
        for tried in range(1, _TRIES + 1):
            judged = self._read(lambda tx: [self._judged(tx, line, principal, overwrite) for line in lines])
            # Whatever else is said of an entity makes it, with its status: that must be what is told of it.
            wanted = [proposal for _, proposal in judged if proposal is not None]
            proposals = sorted(wanted, key=lambda one: one.aspect != "status")
            try:
                if proposals and not dry_run:
                    self.write_path.propose(proposals, principal)
                return [told for told, _ in judged]
            except ConditionFailed:
                if tried == _TRIES:
                    raise
        return []

    def _judged(
        self, tx: TableContext, line: Line, principal: Principal, overwrite: bool
    ) -> tuple[Told, Proposal | None]:
        value = self._attached(line)
        if value is None:
            return Told(line, "unchanged"), None
        present, version = self._present(tx, line)
        outcome, value = self._outcome(tx, replace(line, value=value), present, overwrite)
        if outcome in ("unchanged", "kept", "conflict"):
            return Told(line, outcome), None
        # What it was compared with is what it takes the place of.
        proposal = _proposal(line, value, version)
        if outcome == "merged":
            try:
                self.write_path.check([proposal], principal)
            except InvalidInstance:
                return Told(line, "conflict"), None
        return Told(line, outcome), proposal

    def _present(self, tx: TableContext, line: Line) -> tuple[Any | None, int | None]:
        """What is here in the place of a line, and its version; a moment has none."""
        if self.registry.aspect(line.urn.type, line.aspect).timeseries:
            return timeseries.at(tx, timeseries.key_of(str(line.urn), line.aspect, line.value)), None
        held = aspects.one(tx, self.registry, line.urn.type, str(line.urn), line.aspect)
        return (None, ABSENT) if held is None else (held.value, held.version)

    def _attached(self, line: Line) -> Any | None:
        """What of a line's value is attached; None for nothing: only machines' is asked for."""
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
