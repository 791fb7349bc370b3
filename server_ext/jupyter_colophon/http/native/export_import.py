"""A namespace as lines, and the merge of them back."""

from collections import Counter
from collections.abc import Collection, Iterator
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from jupyter_server.auth.decorator import authorized
from tornado.iostream import StreamClosedError
from tornado.web import authenticated

from jupyter_colophon.core.errors import ConditionFailed, NotFound
from jupyter_colophon.core.read_budget import take_page
from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.operation import operation
from jupyter_colophon.operations.parameter import flag, text

if TYPE_CHECKING:
    from jupyter_colophon.service.entities.export_import import Told

LINES: Final = "application/x-ndjson"
_LINES: Final = {"type": "string", "description": "Lines of JSON, sorted: what it is, then an aspect each."}
#: How many lines are made on one hop, and go out together.
_AT_ONCE: Final = 500
#: How many conflicts are told one by one.
_CONFLICTS_MAX: Final = 500
_NAMESPACE: Final = text("namespace", "Which namespace.", required=True)
_DRY_RUN: Final = flag("dryRun", "Whether nothing is changed, and only told what would be.")
_OVERWRITE: Final = flag("overwrite", "Whether lines take the place of what is there with another value.")


class ExportHandler(ApiHandler):
    """`GET POST /export`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("exportNamespace", takes=[_NAMESPACE], answers={200: _LINES}, refuses=[NotFound], kind=LINES)
    async def get(self) -> None:
        """Everything that is said in a namespace."""
        await self.tell(self.asked(_NAMESPACE), (), ())

    @authenticated
    @authorized("read", resource="colophon")
    @operation("exportSelection", body="namespace-export", answers={200: _LINES}, refuses=[NotFound], kind=LINES)
    async def post(self) -> None:
        """What is said in a namespace of some types of entity, or in some aspects."""
        told = await self.body()
        await self.tell(told["namespace"], told.get("types", ()), told.get("aspects", ()))

    async def tell(self, namespace: str, types: Collection[str], aspects: Collection[str]) -> None:
        """Send the lines as they are made: neither they nor the catalog are ever held whole."""
        principal = self.principal
        lines: Iterator[str] = await self.hop(
            lambda catalog: catalog.transfer.exported(namespace, principal, types, aspects)
        )
        self.set_header("Content-Type", LINES)
        try:
            while some := await self.aside(lambda: list(take_page(islice(lines, _AT_ONCE), len))):
                self.write("".join(f"{line}\n" for line in some))
                await self.flush()
        except StreamClosedError:
            return
        except Exception:
            if self._headers_written:
                # What has begun can no longer be refused: it must not look as if it were whole.
                self.detach().close()
            raise
        self.finish(set_content_type=LINES)


class ImportHandler(ApiHandler):
    """`POST /import`."""

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "importNamespace",
        takes=[_DRY_RUN, _OVERWRITE],
        body={LINES: _LINES},
        answers="namespace-import",
        refuses=[NotFound, ConditionFailed],
    )
    async def post(self) -> None:
        """Lines back into the catalog; what both sides changed is told, and left as it is."""
        dry_run, overwrite, principal, sent = self.asked(_DRY_RUN), self.asked(_OVERWRITE), self.principal, self.sent()
        told: list[Told] = await self.hop(
            lambda catalog: list(
                catalog.transfer.imported(lambda: BytesIO(sent), principal, overwrite=overwrite, dry_run=dry_run)
            )
        )
        self.answer(_document(told, dry_run))


def _document(told: "list[Told]", dry_run: bool) -> dict[str, Any]:
    conflicts = [one.line for one in told if one.outcome == "conflict"]
    return {
        "dryRun": dry_run,
        "counts": dict(sorted(Counter(one.outcome for one in told).items())),
        "conflicts": [
            {"urn": str(one.urn), "aspect": one.aspect, "line": one.number} for one in conflicts[:_CONFLICTS_MAX]
        ],
    }


ROUTES = [("/export", ExportHandler), ("/import", ImportHandler)]
