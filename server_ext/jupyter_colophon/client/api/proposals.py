"""Changes that wait for review: listed, shown with their differences, and decided."""

from typing import Literal

from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.client.api.base import ApiBase
from jupyter_colophon.client.caller import Document
from jupyter_colophon.core.documents.steps import format_differences
from jupyter_colophon.core.identity.short_names import shorten_urn
from jupyter_colophon.core.model.owner_request import CHANGE, Decision

#: How many proposals are listed.
_LISTED_MAX = 100


class Proposals(ApiBase):
    """Proposed changes; a steward applies or rejects them."""

    def proposals(
        self,
        proposal: str | int | None = None,
        decision: Decision | None = None,
        comment: str = "",
        *,
        list: Literal["assigned", "asked"] = "assigned",
    ) -> Result:
        """Return the changes that wait for the caller (or that the caller proposed: `asked`), last changed first.

        Rows: id, about, change, author. With the id of a proposal, return that one with its differences from the present
        values: `ProposalReview`. Rows: name, aspect, differences. With a decision, apply, reject, withdraw or rebase it
        first; the author reads the comment. Raises RequestFailed.
        """
        if proposal is None:
            return self._list_proposals(list)
        if decision is not None:
            body: Document = {"decision": decision, **({"text": comment} if comment else {})}
            self.catalog.decide_proposal(str(proposal), body)
        review = self.catalog.read_proposal(str(proposal))
        rows = [
            (shorten_urn(change["urn"]), change["aspect"], format_differences(change["before"], change["after"]))
            for change in review["changes"]
        ]
        return Result("proposal", review, ("name", "aspect", "differences"), rows)

    def _list_proposals(self, list_: str) -> Result:
        page = self.catalog.list_requests(list=list_, kind=CHANGE, state="open", limit=_LISTED_MAX)
        rows = [
            (request["proposal"], shorten_urn(request["about"]), request["text"], request["author"]["name"])
            for request in page["requests"]
        ]
        return Result("proposals", page, ("id", "about", "change", "author"), rows)
