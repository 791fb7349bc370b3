"""A namespace as lines that people can read, compare and keep under version control, and back (native.md, export).

The first line says what it is; each other one is an aspect, `{"aspect", "urn", "value"}`, sorted by entity and aspect,
so that two exports of the same are equal byte for byte. Nothing is overwritten that is not asked for.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from jupyter_colophon.core import names
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.entity import Listing
from jupyter_colophon.core.errors import Absent, InvalidInstance, Problem, Unparsable
from jupyter_colophon.core.jsontext import compact, parse
from jupyter_colophon.core.names import Urn
from jupyter_colophon.core.proposal import Proposal
from jupyter_colophon.core.registry import Registry
from jupyter_colophon.service.read import Reader
from jupyter_colophon.service.write_path import WritePath

FORMAT, VERSION = "jupyter-colophon-namespace", 1
_PAGE = 500
#: How many aspects are written in one transaction.
_AT_ONCE = 200
Outcome = Literal["created", "unchanged", "overwritten", "conflict"]


@dataclass(frozen=True, slots=True)
class Line:
    """One aspect of one entity."""

    urn: Urn
    aspect: str
    value: Mapping[str, Any]


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

    def exported(self, namespace: str, principal: Principal) -> Iterator[str]:
        """The lines of a namespace. Raises Absent where there is none."""
        self.reader.entity(names.namespace(namespace), [], principal)
        yield compact({"format": FORMAT, "namespace": namespace, "version": VERSION})
        for urn in sorted(self._urns(namespace, principal)):
            entity = self.reader.entity(Urn.parse(urn), None, principal)
            for aspect in sorted(entity.aspects):
                if not self.registry.aspect(entity.summary.type, aspect).key:
                    yield json.dumps(
                        {"aspect": aspect, "urn": urn, "value": entity.aspects[aspect].value},
                        ensure_ascii=False,
                        sort_keys=True,
                        separators=(",", ":"),
                    )

    def imported(
        self, lines: Iterable[str], principal: Principal, *, overwrite: bool = False, dry_run: bool = False
    ) -> Iterator[Told]:
        """Take lines in, some at a time; what is there with another value is a conflict, and left as it is.

        Raises Unparsable, IllegalName, InvalidInstance, AccessDenied for the first line that cannot be taken in, with
        its number; what came before it, but for a dry run, is in.
        """
        read = _read(lines)
        at = 2
        while found := list(islice(read, _AT_ONCE)):
            told = [Told(line, self._outcome(line, principal, overwrite)) for line in found]
            wanted = [one.line for one in told if one.outcome in ("created", "overwritten")]
            proposals = [Proposal(one.urn, one.aspect, "upsert", one.value) for one in wanted]
            try:
                self.write_path.check(proposals, principal)
            except InvalidInstance as error:
                raise Unparsable(f"between lines {at} and {at + len(found) - 1}: {_said(error)}") from error
            if proposals and not dry_run:
                self.write_path.propose(proposals, principal)
            yield from told
            at += len(found)

    def _urns(self, namespace: str, principal: Principal) -> Iterator[str]:
        cursor: str | None = ""
        while cursor is not None:
            listing = Listing(namespace=namespace, limit=_PAGE, cursor=cursor)
            page, cursor = self.reader.entities(listing, principal)
            yield from (one.urn for one in page)

    def _outcome(self, line: Line, principal: Principal, overwrite: bool) -> Outcome:
        try:
            present = self.reader.aspect(line.urn, line.aspect, principal).value
        except Absent:
            return "created"
        if present == line.value:
            return "unchanged"
        return "overwritten" if overwrite else "conflict"


def _read(lines: Iterable[str]) -> Iterator[Line]:
    """The lines behind the first. Raises Unparsable with the number of the wrong one."""
    for number, text in enumerate(lines, 1):
        try:
            told = parse(text.encode())
        except Unparsable as error:
            raise Unparsable(f"line {number}: {error.detail}") from error
        if number == 1:
            if not isinstance(told, dict) or (told.get("format"), told.get("version")) != (FORMAT, VERSION):
                raise Unparsable(f"line 1: it is no export of a namespace ({FORMAT}, version {VERSION})")
            continue
        if not isinstance(told, dict) or told.keys() != {"aspect", "urn", "value"}:
            raise Unparsable(f"line {number}: it has not exactly the members aspect, urn and value")
        if not isinstance(told["urn"], str) or not isinstance(told["aspect"], str):
            raise Unparsable(f"line {number}: aspect and urn are texts")
        yield Line(Urn.parse(told["urn"]), told["aspect"], told["value"])


def _said(error: InvalidInstance) -> str:
    told: tuple[Problem, ...] = error.problems[:1]
    return "; ".join([error.detail, *(f"{one.pointer}: {one.message}" for one in told)])
