"""The services of stewardship in one catalog."""

from dataclasses import dataclass

from jupyter_colophon.service.stewardship.hierarchy import HierarchyReader
from jupyter_colophon.service.stewardship.owners import OwnershipService
from jupyter_colophon.service.stewardship.people import PeopleReader
from jupyter_colophon.service.stewardship.requests import RequestService
from jupyter_colophon.service.stewardship.reviews import ReviewService


@dataclass(frozen=True, slots=True)
class StewardshipServices:
    """Who is responsible for entities, and requests to them."""

    people: PeopleReader
    ownership: OwnershipService
    requests: RequestService
    hierarchy: HierarchyReader
    reviews: ReviewService
