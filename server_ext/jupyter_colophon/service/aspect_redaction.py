"""Redact aspect values: remove values of confidential columns, and URNs and OpenLineage facets of entities that the
reader may not see.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_values import REMOVED, iterate_texts, remove_hidden_values
from jupyter_colophon.core.entities.entity import Aspect, AspectVersion
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import PREFIX
from jupyter_colophon.core.model.declared_lineage import OPENLINEAGE_ASPECT
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.service.confidential_values import ConfidentialValues
from jupyter_colophon.service.openlineage_redaction import OpenLineageRedactor
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.storage.spi import TableContext


@dataclass(slots=True)
class AspectRedactor:
    """Redacts values for one reader, in one transaction."""

    tx: TableContext
    registry: Registry
    read_policy: ReadPolicy
    principal: Principal
    #: Whether texts are URNs of hidden entities.
    _hidden: dict[str, bool] = field(default_factory=dict)
    _confidential: ConfidentialValues = field(init=False)

    def __post_init__(self) -> None:
        """Read which columns are confidential only when a value may have values of columns."""
        self._confidential = ConfidentialValues(self.tx, self.registry)

    def redact_aspects(self, urn: str, aspects: Mapping[str, Aspect]) -> dict[str, Aspect]:
        """Return the redacted aspects by name, without those of which nothing is left."""
        redacted = ((name, self.redact_aspect(urn, aspect)) for name, aspect in aspects.items())
        return {name: aspect for name, aspect in redacted if aspect is not None}

    def redact_aspect(self, urn: str, aspect: Aspect) -> Aspect | None:
        """Return a redacted aspect; None if nothing is left of it."""
        value = self.redact_value(urn, aspect.name, aspect.value)
        return None if value is None else replace(aspect, value=value)

    def redact_version(self, urn: str, name: str, version: AspectVersion) -> AspectVersion:
        """Return a redacted version; its diff is dropped if the value changes, since it repeats what was removed."""
        value = self.redact_value(urn, name, version.value)
        return version if value == version.value else replace(version, value=value, diff=())

    def redact_value(self, urn: str, aspect: str, value: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """Return a redacted value; None if nothing is left of it."""
        value = self._confidential.remove_values(urn, aspect, value)
        if value is None or not self.read_policy.may_hide_from(self.principal):
            return value
        if aspect == OPENLINEAGE_ASPECT:
            redactor = OpenLineageRedactor(self.tx, self.registry, self.read_policy, self.principal)
            value = redactor.redact_openlineage_aspect(value)
        references = {text for text in iterate_texts(value) if text.startswith(PREFIX)}
        self._decide_references(references)
        if not any(self._hidden[text] for text in references):
            return value
        remaining = remove_hidden_values(value, lambda item: isinstance(item, str) and self._hidden.get(item, False))
        return None if remaining is REMOVED else remaining

    def _decide_references(self, texts: Iterable[str]) -> None:
        """Find out which of these texts are URNs of hidden entities, of all of them together."""
        unknown = [text for text in texts if text not in self._hidden]
        if not unknown:
            return
        urns = [(text, urn) for text in unknown if (urn := _parse_urn_or_none(text)) is not None]
        visible = dict(self.read_policy.filter_visible(self.tx, self.principal, urns, lambda pair: (pair[1], None)))
        self._hidden |= dict.fromkeys(unknown, False)
        self._hidden |= {text: text not in visible for text, _ in urns}


def _parse_urn_or_none(text: str) -> Urn | None:
    try:
        return Urn.parse(text)
    except InvalidName:
        return None
