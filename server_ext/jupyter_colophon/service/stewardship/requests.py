"""Requests to the owners of an entity or a column: created, listed, commented on, answered or declined.

A request is an entity in the namespace of what it is about. All of it is the aspect `request`, whose versions are its
history.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import IdempotencyKey
from jupyter_colophon.core.entities.entity import Aspect
from jupyter_colophon.core.errors import AccessDenied, InvalidInstance, NotFound, Problem
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import PREFIX
from jupyter_colophon.core.model.owner_request import (
    ABOUT,
    CHANGE,
    NOT_REQUESTED,
    REQUEST,
    OwnerRequest,
    Person,
    RequestComment,
    RequestSelection,
)
from jupyter_colophon.core.model.proposal import Proposal, ProposalResult
from jupyter_colophon.core.model.vocabulary import format_reference_text
from jupyter_colophon.core.search.search import SearchRequest
from jupyter_colophon.service.entities.columns import is_column_urn
from jupyter_colophon.service.entities.entities import EntityReader
from jupyter_colophon.service.held_changes import REQUESTS_API
from jupyter_colophon.service.search.search import CatalogSearcher
from jupyter_colophon.service.stewardship.owners import OwnerReader
from jupyter_colophon.service.stewardship.people import PeopleReader
from jupyter_colophon.service.stewardship.read_grants import GRANTED, ReadGrants
from jupyter_colophon.service.stewardship.teams import TeamReader, make_user_urn
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.lineage.relationships import list_relationships_to, list_targets_with_prefix
from jupyter_colophon.storage.spi import TableContext

T = TypeVar("T")
#: The most requests about one entity that are listed, and the most assignees of a request.
_REQUESTS_MAX: Final = 500
_ASSIGNEES_MAX: Final = 50


@dataclass(frozen=True, slots=True)
class NewRequest:
    """A request to create; without assignees, it is assigned to the owners."""

    about: Urn
    kind: str
    text: str
    assignees: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestResponse:
    """What is added to a request or changed of it; None leaves it unchanged."""

    text: str | None = None
    state: str | None = None
    assignees: tuple[str, ...] | None = None
    #: Whether the author gets read access, by a rule of an access policy.
    grants_read: bool = False


@dataclass(frozen=True, slots=True)
class RequestService:
    """Reads and writes requests. What the principal may not read is not found."""

    reader: EntityReader
    searcher: CatalogSearcher
    write_path: WritePath
    people: PeopleReader
    now: Callable[[], int]

    def create(self, new: NewRequest, principal: Principal, key: IdempotencyKey | None) -> OwnerRequest:
        """Create a request. Raises NotFound, AccessDenied, InvalidInstance."""
        self._require_entity(new.about, principal)
        _require_may_annotate(principal, new.about)
        if new.about.type in NOT_REQUESTED:
            raise InvalidInstance("the request", (Problem("/about", f"a request cannot be about a {new.about.type}"),))
        urn = Urn(REQUEST, (str(new.about), str(uuid.uuid4())))
        value = {
            "about": str(new.about),
            "kind": new.kind,
            "text": new.text,
            "author": str(make_user_urn(principal.user)),
            "assignees": list(new.assignees or self._find_assignees(new.about)),
            "state": "open",
            "created": self.now(),
            "comments": [],
        }
        (written,) = self.write_path.apply_proposals_atomically(
            [Proposal(urn, REQUEST, "create", value)], principal, idempotency_key=key, api=REQUESTS_API
        )
        return self.read(written.urn, principal)

    def update(
        self, urn: Urn, response: RequestResponse, principal: Principal, key: IdempotencyKey | None
    ) -> OwnerRequest:
        """Comment on a request, change its state or assignees, or grant what it asks for.

        Raises NotFound, AccessDenied, InvalidInstance, GrantConflict.
        """
        request = self.read(urn, principal)
        _require_may_annotate(principal, urn)
        if request.proposal is not None and response.state is not None:
            why = f"the state of a proposed change follows from the proposal: apply or reject {request.proposal}"
            raise InvalidInstance("the response", (Problem("/state", why),))
        if response.state is not None or response.assignees is not None or response.grants_read:
            self._require_may_close(request, principal)
        if response.grants_read:
            self._grant_read_access(request, response, principal, key)
        else:
            proposal = build_response_proposal(urn, response, principal, self.now())
            self.write_path.apply_proposals_atomically([proposal], principal, idempotency_key=key, api=REQUESTS_API)
        return self.read(urn, principal)

    def _grant_read_access(
        self, request: OwnerRequest, response: RequestResponse, principal: Principal, key: IdempotencyKey | None
    ) -> None:
        """Change the policy and answer the request in one transaction; the comment states the grant."""
        if response.state not in (None, "answered"):
            why = "a request that is granted is answered"
            raise InvalidInstance("the response", (Problem("/state", why),))
        changes = ReadGrants(self.write_path).build_changes(request, principal)
        text = GRANTED if response.text is None else f"{response.text}\n\n{GRANTED}"
        answer = replace(response, text=text, state="answered")
        proposal = build_response_proposal(Urn.parse(request.urn), answer, principal, self.now())

        def write(tx: TableContext, apply: Callable[[], list[ProposalResult]]) -> list[ProposalResult]:
            results = apply()
            self.write_path.write_in_transaction(tx, [proposal], principal, REQUESTS_API)
            return results

        self.write_path.apply_proposals_atomically(changes, principal, idempotency_key=key, in_transaction=write)

    def _require_may_close(self, request: OwnerRequest, principal: Principal) -> None:
        """Raise AccessDenied unless the principal may change the state and the assignees of a request.

        Where policies are in force, its author, those to whom it is assigned, and stewards may; everyone may comment.
        """
        if self.write_path.access_control.find_rights(principal) is None:
            return
        mine = self._read_in_transaction(
            lambda tx: TeamReader(tx, self.reader.registry, self.reader.read_policy).list_owner_texts(
                principal, teams=True
            )
        )
        people = {request.author.owner, *(person.owner for person in request.assignees)}
        if mine.isdisjoint(people) and not self.write_path.may_act_on_entity(
            principal, "govern", Urn.parse(request.about)
        ):
            raise AccessDenied("answer, decline or assign", request.urn)

    def may_grant_read_access(self, principal: Principal) -> bool:
        """Return whether the principal may grant what requests to read ask for."""
        return ReadGrants(self.write_path).may_grant(principal)

    def read(self, urn: Urn, principal: Principal) -> OwnerRequest:
        """Return a request. Raises NotFound."""
        if urn.type != REQUEST:
            raise NotFound("request", str(urn))
        aspect = self.reader.read_current_aspect(urn, REQUEST, principal)
        return self._read_in_transaction(lambda tx: self._build_requests(tx, [(str(urn), aspect)], principal))[0]

    def list_page(
        self, selection: RequestSelection, principal: Principal
    ) -> tuple[list[OwnerRequest], int, str | None]:
        """Return a page of requests, the last changed first, their total, and the next cursor.

        Those about one entity, with its columns, are one page. Raises InvalidQuery, NotFound.
        """
        if selection.about:
            requests = self._list_requests_about(selection, principal)
            return requests[: selection.limit], len(requests), None
        filters = (
            ("type", REQUEST),
            *((("state", selection.state),) if selection.state else ()),
            *((("assigned", "teams"),) if selection.list == "assigned" else ()),
        )
        words = (
            *((f'created-by:"{principal.user}"',) if selection.list == "asked" else ()),
            *((f"kind:{selection.kind}",) if selection.kind else ()),
        )
        search = SearchRequest(
            " ".join(words) or "*", filters, selection.limit, selection.cursor, facets=(), sort="updated"
        )
        result = self.searcher.search_page_of_hits(search, principal)
        requests = self._read_in_transaction(
            lambda tx: self._read_requests(tx, [hit.summary.urn for hit in result.hits], principal)
        )
        return requests, result.total, result.cursor

    def _list_requests_about(self, selection: RequestSelection, principal: Principal) -> list[OwnerRequest]:
        about = Urn.parse(selection.about)
        self._require_entity(about, principal)

        def read_requests(tx: TableContext) -> list[OwnerRequest]:
            targets = [str(about), *list_targets_with_prefix(tx, f"{PREFIX}schemaField:({about},", _REQUESTS_MAX)]
            urns = [
                row.urn
                for target in targets
                for row in list_relationships_to(tx, target, frozenset({ABOUT}), (), _REQUESTS_MAX)
            ][:_REQUESTS_MAX]
            mine = TeamReader(tx, self.reader.registry, self.reader.read_policy).list_owner_texts(principal, teams=True)
            requests = self._read_requests(tx, urns, principal)
            return [request for request in requests if _is_selected(request, selection, mine, principal)]

        return sorted(self._read_in_transaction(read_requests), key=lambda request: request.updated, reverse=True)

    def _require_entity(self, urn: Urn, principal: Principal) -> None:
        """Raise NotFound unless an entity, or the table of a column, exists and may be read."""
        self.reader.read_entity(
            urn.parse_part_as_urn(0) if is_column_urn(urn) else urn, frozenset({"status"}), principal
        )

    def _find_assignees(self, about: Urn) -> Sequence[str]:
        def find(tx: TableContext) -> Sequence[str]:
            owners = OwnerReader(tx, self.reader.registry)
            return owners.list_owners(about) or owners.list_owners_of_domains(about) or self.people.stewards

        return self._read_in_transaction(find)[:_ASSIGNEES_MAX]

    def _read_requests(self, tx: TableContext, urns: Sequence[str], principal: Principal) -> list[OwnerRequest]:
        keys = [(urn, REQUEST) for urn in urns]
        found = dict(aspects.iterate_aspects_of_keys(tx, self.reader.registry, keys))
        return self._build_requests(tx, [(urn, found[urn]) for urn in urns if urn in found], principal)

    def _build_requests(
        self, tx: TableContext, found: Sequence[tuple[str, Aspect]], principal: Principal
    ) -> list[OwnerRequest]:
        owners = {owner for _, aspect in found for owner in _list_people(aspect.value)}
        names = self.people.read_names(tx, owners, principal)
        return [_build_request(urn, aspect, names) for urn, aspect in found]

    def _read_in_transaction(self, read: Callable[[TableContext], T]) -> T:
        return self.write_path.provider.tx_runner.run(read, read_only=True)


def build_response_proposal(urn: Urn, response: RequestResponse, principal: Principal, now: int) -> Proposal:
    """Return the change of a request by a response."""
    patch: list[dict[str, Any]] = []
    if response.text is not None:
        comment = {"author": str(make_user_urn(principal.user)), "time": now, "text": response.text}
        patch.append({"op": "add", "path": "/comments/-", "value": comment})
    if response.state is not None:
        patch.append({"op": "replace", "path": "/state", "value": response.state})
    if response.assignees is not None:
        patch.append({"op": "replace", "path": "/assignees", "value": list(response.assignees)})
    return Proposal(urn, REQUEST, "patch", patch, needs="entity")


def _require_may_annotate(principal: Principal, urn: Urn) -> None:
    if "annotate" not in principal.scopes:
        raise AccessDenied("annotate", str(urn))


def _list_people(value: Mapping[str, Any]) -> list[str]:
    return [value["author"], *value["assignees"], *(comment["author"] for comment in value["comments"])]


def _build_request(urn: str, aspect: Aspect, names: Mapping[str, str]) -> OwnerRequest:
    value = aspect.value

    def name(owner: str) -> Person:
        return Person(owner, names.get(owner) or format_reference_text(owner))

    return OwnerRequest(
        urn=urn,
        about=value["about"],
        kind=value["kind"],
        text=value["text"],
        author=name(value["author"]),
        assignees=tuple(map(name, value["assignees"])),
        state=value["state"],
        created=value["created"],
        updated=aspect.time,
        comments=tuple(
            RequestComment(name(comment["author"]), comment["time"], comment["text"]) for comment in value["comments"]
        ),
        proposal=Urn.parse(urn).parts[1] if value["kind"] == CHANGE else None,
    )


def _is_selected(request: OwnerRequest, selection: RequestSelection, mine: set[str], principal: Principal) -> bool:
    if selection.state not in ("", request.state) or selection.kind not in ("", request.kind):
        return False
    if selection.list == "asked":
        return request.author.owner == str(make_user_urn(principal.user))
    return selection.list != "assigned" or any(each.owner in mine for each in request.assignees)
