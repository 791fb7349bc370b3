"""Values of aspects without what they say of entities that the reader may not see: their URNs, and OpenLineage's facets."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_values import REMOVED, pruned
from jupyter_colophon.core.entities.entity import Aspect, AspectVersion
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import PREFIX
from jupyter_colophon.core.model.declared_lineage import OPENLINEAGE_ASPECT
from jupyter_colophon.service.openlineage_redaction import Hiding
from jupyter_colophon.service.read_policy import Gate
from jupyter_colophon.storage.spi import TableContext


@dataclass(slots=True)
class VisibleValues:
    """Answers for one reader, in one transaction; without a policy every value is whole."""

    tx: TableContext
    gate: Gate
    principal: Principal
    _known: dict[str, bool] = field(default_factory=dict)

    def aspects(self, found: Mapping[str, Aspect]) -> dict[str, Aspect]:
        """Return aspects by name; one of which nothing is left is not there."""
        shown = ((name, self.aspect(one)) for name, one in found.items())
        return {name: one for name, one in shown if one is not None}

    def aspect(self, one: Aspect) -> Aspect | None:
        """Return an aspect; None where nothing is left of it."""
        value = self.value(one.name, one.value)
        return None if value is None else replace(one, value=value)

    def version(self, name: str, one: AspectVersion) -> AspectVersion:
        """Return a version; the difference from the one before names what the values name, too."""
        if not self.gate.has_policy or one.value is None:
            return one
        value = self.value(name, one.value)
        return one if value == one.value else replace(one, value=value, diff=())

    def value(self, aspect: str, value: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """Return a value of an aspect; None where nothing is left of it."""
        if value is None or not self.gate.has_policy:
            return value
        if aspect == OPENLINEAGE_ASPECT:
            value = Hiding(self.tx, self.gate, self.principal).aspect(value)
        kept = pruned(value, self._is_hidden)
        return None if kept is REMOVED else kept

    def _is_hidden(self, text: Any) -> bool:
        if not (isinstance(text, str) and text.startswith(PREFIX)):
            return False
        if text not in self._known:
            try:
                self._known[text] = not self.gate.may_see(self.tx, self.principal, Urn.parse(text))
            except InvalidName:
                self._known[text] = False
        return self._known[text]
