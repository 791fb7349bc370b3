"""Redact aspect values: remove URNs and OpenLineage facets of entities that the reader may not see."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_values import REMOVED, remove_hidden_values
from jupyter_colophon.core.entities.entity import Aspect, AspectVersion
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import PREFIX
from jupyter_colophon.core.model.declared_lineage import OPENLINEAGE_ASPECT
from jupyter_colophon.service.openlineage_redaction import OpenLineageRedactor
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.storage.spi import TableContext


@dataclass(slots=True)
class AspectRedactor:
    """Redacts values for one reader, in one transaction; without a policy values are unchanged."""

    tx: TableContext
    read_policy: ReadPolicy
    principal: Principal
    _hidden_urns: dict[str, bool] = field(default_factory=dict)

    def redact_aspects(self, aspects: Mapping[str, Aspect]) -> dict[str, Aspect]:
        """Return the redacted aspects by name, without those of which nothing is left."""
        redacted = ((name, self.redact_aspect(aspect)) for name, aspect in aspects.items())
        return {name: aspect for name, aspect in redacted if aspect is not None}

    def redact_aspect(self, aspect: Aspect) -> Aspect | None:
        """Return a redacted aspect; None if nothing is left of it."""
        value = self.redact_value(aspect.name, aspect.value)
        return None if value is None else replace(aspect, value=value)

    def redact_version(self, name: str, version: AspectVersion) -> AspectVersion:
        """Return a redacted version; its diff is dropped if the value changes, since it repeats what was removed."""
        if not self.read_policy.may_hide_from(self.principal) or version.value is None:
            return version
        value = self.redact_value(name, version.value)
        return version if value == version.value else replace(version, value=value, diff=())

    def redact_value(self, aspect: str, value: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """Return a redacted value; None if nothing is left of it."""
        if value is None or not self.read_policy.may_hide_from(self.principal):
            return value
        if aspect == OPENLINEAGE_ASPECT:
            value = OpenLineageRedactor(self.tx, self.read_policy, self.principal).redact_openlineage_aspect(value)
        remaining = remove_hidden_values(value, self._is_hidden_reference)
        return None if remaining is REMOVED else remaining

    def _is_hidden_reference(self, text: Any) -> bool:
        if not (isinstance(text, str) and text.startswith(PREFIX)):
            return False
        if text not in self._hidden_urns:
            try:
                self._hidden_urns[text] = not self.read_policy.may_see_entity(self.tx, self.principal, Urn.parse(text))
            except InvalidName:
                self._hidden_urns[text] = False
        return self._hidden_urns[text]
