"""Users, teams, what they own, and requests to owners."""

from http import HTTPStatus
from typing import Final

from jupyter_colophon.core.documents.codec import to_api_document, to_api_documents
from jupyter_colophon.core.errors import GrantConflict, InvalidName, InvalidQuery, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.owner_request import CHANGE, KINDS, STATES, RequestSelection
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.operation import OperationLink, declare_operation
from jupyter_colophon.operations.parameter import declare_choice, declare_text
from jupyter_colophon.operations.request import Document, OperationAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.shared_parameters import CURSOR, LIMIT
from jupyter_colophon.service.stewardship.requests import NewRequest, RequestResponse
from jupyter_colophon.service.stewardship.teams import make_user_urn

_LIST: Final = declare_choice(
    "list",
    "Return only requests that are assigned to the caller or a team of the caller, or that the caller made.",
    "assigned",
    "asked",
)
_STATE: Final = declare_choice("state", "Return only requests in this state.", *STATES)
_KIND: Final = declare_choice("kind", "Return only requests of this kind.", *KINDS, CHANGE)
_ABOUT: Final = declare_text(
    "about", "Return only requests about this entity or its columns, at most 500.", format="colophon-urn"
)
_NEXT: Final = (OperationLink("updateRequest", {"path.urn": "$response.body#/urn"}, status=201),)


@declare_operation("listMyTeams", "GET /me/teams", decided_by="sender", answers="my-teams", errors=[InvalidName])
def list_my_teams(services: ProcessServices, request: OperationRequest) -> Document:
    """List the teams of which the caller is a member."""
    people = services.get_or_open_catalog().stewardship.people
    return {
        "user": str(make_user_urn(request.principal.user)),
        "isSteward": people.is_steward(request.principal),
        "teams": to_api_documents(people.list_teams_of_caller(request.principal)),
    }


@declare_operation(
    "filterOwnedEntities",
    "POST /me/owned",
    decided_by="entities",
    body="entity-urns",
    answers="owned-entities",
    errors=[InvalidName],
    permission="read",
)
def filter_owned_entities(services: ProcessServices, request: OperationRequest) -> Document:
    """Return those of these entities that the caller, or a team of the caller, owns."""
    urns = [Urn.parse(urn) for urn in request.body["urns"]]
    owned = services.get_or_open_catalog().stewardship.ownership.filter_owned_entities(urns, request.principal)
    return {"urns": [str(urn) for urn in owned]}


@declare_operation(
    "listMemberships",
    "GET /entities/{urn}/memberships",
    decided_by="entities",
    answers="memberships",
    errors=[NotFound],
)
def list_memberships(services: ProcessServices, request: OperationRequest) -> Document:
    """List the members of a team, or the teams of a user."""
    people = services.get_or_open_catalog().stewardship.people
    members, teams = people.list_memberships(request.urn, request.principal)
    return {"urn": str(request.urn), "members": to_api_documents(members), "teams": to_api_documents(teams)}


@declare_operation(
    "listRequests",
    "GET /requests",
    decided_by="entities",
    parameters=[_LIST, _KIND, _STATE, _ABOUT, LIMIT, CURSOR],
    answers="owner-requests",
    errors=[InvalidName, InvalidQuery, NotFound],
)
def list_requests(services: ProcessServices, request: OperationRequest) -> Document:
    """List requests to owners, the last changed first."""
    selection = RequestSelection(
        request[_LIST], request[_KIND], request[_ABOUT], request[_STATE], request[LIMIT], request[CURSOR]
    )
    service = services.get_or_open_catalog().stewardship.requests
    requests, total, cursor = service.list_page(selection, request.principal)
    return {
        "requests": to_api_documents(requests),
        "total": total,
        "cursor": cursor,
        "mayGrant": service.may_grant_read_access(request.principal),
    }


@declare_operation(
    "createRequest",
    "POST /requests",
    decided_by="entities",
    parameters=[IDEMPOTENCY_KEY],
    body="owner-request-creation",
    answers={201: "owner-request"},
    errors=[InvalidName, NotFound],
    links=_NEXT,
)
def create_request(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Ask the owners of an entity or a column."""
    body = request.body
    new = NewRequest(
        Urn.parse(body["about"]), body.get("kind", "other"), body["text"], tuple(body.get("assignees", ()))
    )
    created = services.get_or_open_catalog().stewardship.requests.create(
        new, request.principal, request.idempotency_key
    )
    return OperationAnswer(to_api_document(created), HTTPStatus.CREATED)


@declare_operation(
    "updateRequest",
    "POST /entities/{urn}/responses",
    decided_by="entities",
    parameters=[IDEMPOTENCY_KEY],
    body="owner-request-response",
    answers="owner-request",
    errors=[NotFound, GrantConflict],
)
def update_request(services: ProcessServices, request: OperationRequest) -> Document:
    """Comment on a request, answer, decline or open it again, assign it to others, or grant the access it asks for."""
    body = request.body
    assignees = body.get("assignees")
    response = RequestResponse(
        body.get("text"), body.get("state"), None if assignees is None else tuple(assignees), "grant" in body
    )
    changed = services.get_or_open_catalog().stewardship.requests.update(
        request.urn, response, request.principal, request.idempotency_key
    )
    return to_api_document(changed)


@declare_operation(
    "readHierarchy",
    "POST /hierarchy",
    decided_by="entities",
    body="entity-urns",
    answers="hierarchy",
    errors=[InvalidName],
    permission="read",
)
def read_hierarchy(services: ProcessServices, request: OperationRequest) -> Document:
    """Read the ancestors of glossary terms, term groups and domains."""
    urns = [Urn.parse(urn) for urn in request.body["urns"]]
    paths = services.get_or_open_catalog().stewardship.hierarchy.read_paths(urns, request.principal)
    return {"entities": [{"urn": str(urn), "ancestors": to_api_documents(above)} for urn, above in paths]}
