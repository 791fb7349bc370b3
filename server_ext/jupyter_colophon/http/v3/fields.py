"""Lineage of fields: `GET …/lineage/fields…` and `…/lineage/allfieldlineage`."""

from typing import Any, Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.errors import InvalidName, InvalidQuery, NotFound
from jupyter_colophon.core.lineage.field_lineage import FieldLineage, FieldQuestion
from jupyter_colophon.http.operation import operation
from jupyter_colophon.http.v3.base import V3Handler
from jupyter_colophon.http.v3.field_documents import SIDES, FieldShape
from jupyter_colophon.http.v3.lineage import DATA, END, START, window
from jupyter_colophon.http.v3.parameters import word
from jupyter_colophon.operations.shared_parameters import PREFIX
from jupyter_colophon.service.lineage.field_lineage import field_lineage

_LIST: Final = {"type": "array"}
_OBJECT: Final = {"type": "object"}
_DIRECTION: Final = word("direction", "What fields are made of, or what of them.", "incoming", "outgoing", "both")
_CURRENT: Final = word("includeCurrent", "With the fields of the schema as it is.", "true", "false")


class _FieldHandler(V3Handler):
    """What the routes of fields share."""

    async def shape(self, behind: tuple[str, ...], field: str, direction: str) -> FieldShape:
        """What is known of a field of the data in the path, or of all, in the window that was asked for."""
        urn, says = self.place(self.segments("lineage", *behind))
        if urn.type != "dataset":
            raise InvalidName("data", str(urn), "lineage is that of datasets and streams")
        within, sides = window(self.asked(START), self.asked(END)), _sides(direction)
        question = FieldQuestion(urn, within, field, "incoming" in sides, "outgoing" in sides)
        principal = self.principal

        def work(catalog: Any) -> FieldLineage:
            catalog.lineage.require_in(urn, says, principal)
            return field_lineage(catalog.lineage, question, principal)

        found = await self.hop(work)
        if found.truncated:
            self.set_header("X-Colophon-Truncated", "true")
        return FieldShape(urn, found, self.state.identity, sides)


class FieldsHandler(_FieldHandler):
    """`GET E/lineage/fields`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "v3ListFields", takes=[START, END, PREFIX, _CURRENT], answers={200: _LIST}, refuses=[NotFound, InvalidName]
    )
    async def get(self) -> None:
        """The fields of a dataset that have lineage."""
        shape = await self.shape(("fields",), "", "both")
        prefix = self.asked(PREFIX)
        self.answer(shape.with_current(prefix) if self.asked(_CURRENT) == "true" else shape.names(prefix))


class FieldHandler(_FieldHandler):
    """`GET E/lineage/fields/{f}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3ReadField", takes=[START, END, _DIRECTION], answers={200: _OBJECT}, refuses=[NotFound, InvalidName])
    async def get(self) -> None:
        """The fields that a field is made of, and those that are made of it."""
        field = self.segments()[-1]
        self.answer((await self.shape(("fields", field), field, self.asked(_DIRECTION))).neighbours())


class OperationsHandler(_FieldHandler):
    """`GET E/lineage/fields/{f}/operations`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "v3ListOperations", takes=[START, END, _DIRECTION], answers={200: _OBJECT}, refuses=[NotFound, InvalidName]
    )
    async def get(self) -> None:
        """What programs did to make a field, and with it."""
        field = self.segments()[-2]
        shape = await self.shape(("fields", field, "operations"), field, self.asked(_DIRECTION) or "both")
        self.answer(shape.operations())


class AllFieldsHandler(_FieldHandler):
    """`GET E/lineage/allfieldlineage`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "v3ReadAllFields", takes=[START, END, _DIRECTION], answers={200: _OBJECT}, refuses=[NotFound, InvalidName]
    )
    async def get(self) -> None:
        """How the fields of a dataset are related to those of others."""
        direction = self.asked(_DIRECTION)
        shape = await self.shape(("allfieldlineage",), "", direction)
        self.answer(shape.whole(direction, window(self.asked(START), self.asked(END))))


def _sides(direction: str) -> tuple[str, ...]:
    if not direction:
        raise InvalidQuery("is missing: incoming, outgoing or both", "direction")
    return SIDES if direction == "both" else (direction,)


ROUTES: list[tuple[str, type]] = [
    (f"{DATA}/lineage/fields", FieldsHandler),
    (f"{DATA}/lineage/fields/[^/]+", FieldHandler),
    (f"{DATA}/lineage/fields/[^/]+/operations", OperationsHandler),
    (f"{DATA}/lineage/allfieldlineage", AllFieldsHandler),
]
