"""Making namespaces, datasets, streams and applications known, with what the product itself says of them.

What is deployed again is merged; what the product said before, and no longer says, goes (spec CDAP-6).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cdap.names import from_v3, v3_path
from jupyter_colophon.core.entities.annotation import Annotation
from jupyter_colophon.core.entities.entity import Entity
from jupyter_colophon.core.entities.metadata_scopes import SCHEMA_TEXT
from jupyter_colophon.core.entities.registration_request import ARTIFACT, Deployed
from jupyter_colophon.core.errors import ConditionFailed, InvalidInstance, NotFound, Problem, Reserved
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.program_types import KINDS, WORKFLOWS, Programs, labels
from jupyter_colophon.core.model.proposal import ABSENT, Condition, Proposal, Written
from jupyter_colophon.core.model.schema_fields import columns_of_avro
from jupyter_colophon.service.entities.entities import Reader
from jupyter_colophon.service.write_path import WritePath

#: How often a deployment is tried again where others deploy the same application.
_TRIES: Final = 20


@dataclass(frozen=True, slots=True)
class Deployer:
    """Makes entities known for those who deploy. All raise NotFound for a namespace that there is not."""

    reader: Reader
    write_path: WritePath

    def namespace(self, name: str, facts: Mapping[str, str], principal: Principal) -> list[Written]:
        """Make a namespace, or say more of it. Raises Reserved for the platform's own."""
        urn = names.namespace(name)
        if name == names.SYSTEM_NAMESPACE:
            raise Reserved(name)
        return self.write_path.propose([*_facts(urn, Annotation(facts), "nothing", Condition())], principal)

    def entity(self, urn: Urn, told: Deployed, principal: Principal) -> list[Written]:
        """Make a dataset or a stream, or say more of it."""
        return self.write_path.propose([*_proposals(urn, told)], principal)

    def application(self, urn: Urn, told: Deployed, programs: Programs | None, principal: Principal) -> list[Written]:
        """Deploy an application with exactly these programs; those it no longer has are deleted.

        Where nothing is said of programs, they stay.
        """
        if programs is not None:
            words = {_word(type_): ids for type_, ids in programs.items()}
            facts = {f"{word}:{id_}": id_ for word, ids in words.items() for id_ in ids}
            every = tuple(f"{kind.word}:" for kind in KINDS.values())
            told = replace(told, facts={**told.facts, **facts}, whole=(*told.whole, *every))
        for tried in range(1, _TRIES + 1):
            before = self._before(urn, principal)
            try:
                batch = self._deployment(urn, told, programs or {}, before, principal)
                return self.write_path.propose(batch, principal)
            except ConditionFailed:
                # Somebody else deployed it meanwhile.
                if tried == _TRIES:
                    raise
        return []

    def _deployment(
        self, urn: Urn, told: Deployed, programs: Programs, before: Entity | None, principal: Principal
    ) -> list[Proposal]:
        aspect = None if before is None else before.aspects.get("technicalMetadata")
        held: Mapping[str, str] = {} if aspect is None else aspect.value["properties"]
        stale = frozenset(key for key in held if key.startswith(told.whole) and key not in told.facts)
        artifact = held.get(ARTIFACT, "")
        former = frozenset([artifact]) if told.facts.get(ARTIFACT, artifact) != artifact else frozenset[str]()
        version = ABSENT if aspect is None else aspect.version
        proposals = [*_proposals(urn, told, _Stale(stale, former - {*told.labels}, Condition(version=version)))]
        for type_, id_ in _programs(told.facts):
            said = Deployed(labels=labels(type_, id_, programs.get(type_, {}).get(id_, ())))
            proposals += _proposals(
                self._program(urn, type_, id_), said, _ANEW if type_ == WORKFLOWS else _NOTHING_STALE
            )
        gone = [self._program(urn, *one) for one in _programs(stale)]
        return proposals + [Proposal(one, None, "delete") for one in gone if self._before(one, principal)]

    def _program(self, application: Urn, type_: str, id_: str) -> Urn:
        """Raises InvalidName, also for what is no job in an application that is written as a URN."""
        identity = self.write_path.identity
        return from_v3((*v3_path(application, identity).segments, type_, id_), identity)

    def _before(self, urn: Urn, principal: Principal) -> Entity | None:
        try:
            return self.reader.entity(urn, ["technicalMetadata"], principal)
        except NotFound:
            return None


@dataclass(frozen=True, slots=True)
class _Stale:
    """What the product said before and says no longer, and what must still be there."""

    properties: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    condition: Condition = field(default_factory=Condition)
    every_tag: bool = False


_NOTHING_STALE: Final = _Stale()
#: A workflow's nodes are told all together.
_ANEW: Final = _Stale(every_tag=True)


def _proposals(urn: Urn, told: Deployed, stale: _Stale = _NOTHING_STALE) -> Iterable[Proposal]:
    annotation = Annotation(told.facts, told.labels, stale.properties, stale.tags, clear_tags=stale.every_tag)
    yield from _facts(urn, annotation, "namespace", stale.condition)
    if told.settings:
        settings = {"customProperties": dict(told.settings)}
        yield Proposal(urn, "datasetProperties", "patch", settings, needs="namespace")
    if told.schema is not None:
        value = {"fields": _columns(told.schema), "platformSchema": {SCHEMA_TEXT: told.schema}}
        yield Proposal(urn, "schemaMetadata", "upsert", value, needs="namespace")
    if told.said != Annotation():
        yield Proposal(urn, "businessMetadata", "annotate", told.said, needs="namespace")


def _facts(urn: Urn, annotation: Annotation, needs: Any, condition: Condition) -> Iterable[Proposal]:
    yield Proposal(urn, "status", "upsert", {"removed": False}, needs=needs, implied=True)
    if annotation != Annotation():
        yield Proposal(urn, "technicalMetadata", "annotate", annotation, condition, needs=needs, implied=True)


def _columns(schema: str) -> list[dict[str, str]]:
    return [{"fieldPath": path, "nativeDataType": type_} for path, type_ in columns_of_avro(schema)]


def _word(type_: str) -> str:
    if type_ not in KINDS:
        raise InvalidInstance("the application", (Problem(f"/programs/{type_}", f"one of {', '.join(KINDS)}"),))
    return KINDS[type_].word


def _programs(keys: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Type and id of the programs that properties of an application name, as `Flow:<id>`."""
    types = {kind.word: type_ for type_, kind in KINDS.items()}
    for key in keys:
        word, colon, id_ = key.partition(":")
        if word in types and colon:
            yield types[word], id_
