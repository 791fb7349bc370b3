"""What a request of a DataHub client asks, as a function sees it that answers on a thread, and its answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import Once
from jupyter_colophon.core.model.proposal import Proposal

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog

#: How long a request that is sent again with the same bytes is the same request (spec WRITE-10).
REPLAYED_MS = 10 * 60 * 1_000
_REPLAY = "replay "


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered."""

    document: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks what. `strict` says whether fields that no model knows are refused."""

    catalog: "Catalog"
    principal: Principal
    body: Any
    strict: bool
    key: str
    fingerprint: Callable[[], str]

    def once(self, proposals: Sequence[Proposal]) -> Once | None:
        """Under which key the proposals are made once; None where each request is one of its own.

        Clients send a request again whose answer was lost. Each emit observes anew, so that the same moments in the same
        bytes are the same emit; where a proposal tells of no moment, two people may mean the same.
        """
        if self.key:
            return Once(self.principal.user, self.key, self.fingerprint())
        if not proposals or not all(one.system is not None and one.system.last_observed for one in proposals):
            return None
        print_ = self.fingerprint()
        return Once(self.principal.user, _REPLAY + print_, print_, REPLAYED_MS)


#: Answers a question, on a thread.
Act = Callable[[Asking], Answer]
