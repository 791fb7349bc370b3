"""Register namespaces, datasets, streams and applications, with their system metadata.

Repeated registrations are merged; system metadata that is no longer reported is removed (spec CDAP-6).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cdap.names import make_v3_path, parse_v3_path
from jupyter_colophon.core.entities.annotation import MetadataAnnotation
from jupyter_colophon.core.entities.entity import Entity
from jupyter_colophon.core.entities.metadata_scopes import SCHEMA_TEXT
from jupyter_colophon.core.entities.registration_request import ARTIFACT, RegistrationRequest
from jupyter_colophon.core.errors import ConditionFailed, InvalidInstance, NotFound, Problem, Reserved
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.program_types import KINDS, WORKFLOWS, Programs, make_program_tags
from jupyter_colophon.core.model.proposal import ABSENT, Proposal, ProposalResult, WriteCondition
from jupyter_colophon.core.model.schema_fields import list_columns_of_avro
from jupyter_colophon.service.entities.entities import EntityReader
from jupyter_colophon.service.held_changes import InTransaction
from jupyter_colophon.service.write_path import WritePath

#: How often a deployment is retried after concurrent deployments of the same application.
_TRIES: Final = 20


@dataclass(frozen=True, slots=True)
class EntityRegistrar:
    """Registers entities. All methods raise NotFound for an unknown namespace."""

    reader: EntityReader
    write_path: WritePath

    def create_or_update_namespace(
        self, name: str, facts: Mapping[str, str], principal: Principal
    ) -> list[ProposalResult]:
        """Create or update a namespace. Raises Reserved for the platform's own."""
        urn = names.make_namespace_urn(name)
        if name == names.SYSTEM_NAMESPACE:
            raise Reserved(name)
        return self.write_path.apply_proposals_atomically(
            [*_create_system_metadata_proposals(urn, MetadataAnnotation(facts), "nothing", WriteCondition())], principal
        )

    def create_or_update_entity(
        self,
        urn: Urn,
        deployed: RegistrationRequest,
        principal: Principal,
        in_transaction: InTransaction | None = None,
    ) -> list[ProposalResult]:
        """Create or update a dataset, a stream or an artifact; `in_transaction` writes what else belongs to it."""
        proposals = [*_create_registration_proposals(urn, deployed)]
        return self.write_path.apply_proposals_atomically(proposals, principal, in_transaction=in_transaction)

    def deploy_application_and_delete_other_programs(
        self, urn: Urn, deployed: RegistrationRequest, programs: Programs | None, principal: Principal
    ) -> list[ProposalResult]:
        """Deploy an application with exactly these programs; others are deleted.

        With None, its programs stay unchanged.
        """
        if programs is not None:
            words = {_get_type_word(type_): ids for type_, ids in programs.items()}
            facts = {f"{word}:{id_}": id_ for word, ids in words.items() for id_ in ids}
            program_prefixes = tuple(f"{kind.word}:" for kind in KINDS.values())
            deployed = replace(
                deployed,
                facts={**deployed.facts, **facts},
                complete_prefixes=(*deployed.complete_prefixes, *program_prefixes),
            )
        for attempt in range(1, _TRIES + 1):
            before = self._find_current_entity(urn, principal)
            try:
                batch = self._create_deployment_proposals(urn, deployed, programs or {}, before, principal)
                return self.write_path.apply_proposals_atomically(batch, principal)
            except ConditionFailed:
                # Another deployment was concurrent.
                if attempt == _TRIES:
                    raise
        return []

    def _create_deployment_proposals(
        self, urn: Urn, deployed: RegistrationRequest, programs: Programs, before: Entity | None, principal: Principal
    ) -> list[Proposal]:
        aspect = None if before is None else before.aspects.get("technicalMetadata")
        properties: Mapping[str, str] = {} if aspect is None else aspect.value["properties"]
        stale = frozenset(
            key for key in properties if key.startswith(deployed.complete_prefixes) and key not in deployed.facts
        )
        artifact = properties.get(ARTIFACT, "")
        former = frozenset([artifact]) if deployed.facts.get(ARTIFACT, artifact) != artifact else frozenset[str]()
        version = ABSENT if aspect is None else aspect.version
        proposals = [
            *_create_registration_proposals(
                urn, deployed, _StaleSystemMetadata(stale, former - {*deployed.labels}, WriteCondition(version=version))
            )
        ]
        for type_, id_ in _iterate_programs_of_property_keys(deployed.facts):
            program_metadata = RegistrationRequest(
                labels=make_program_tags(type_, id_, programs.get(type_, {}).get(id_, ()))
            )
            proposals += _create_registration_proposals(
                self._build_program_urn(urn, type_, id_),
                program_metadata,
                _REPLACE_ALL_TAGS if type_ == WORKFLOWS else _NOTHING_STALE,
            )
        removed_programs = [
            self._build_program_urn(urn, *program) for program in _iterate_programs_of_property_keys(stale)
        ]
        return proposals + [
            Proposal(program_urn, None, "delete")
            for program_urn in removed_programs
            if self._find_current_entity(program_urn, principal)
        ]

    def _build_program_urn(self, application: Urn, type_: str, id_: str) -> Urn:
        """Return the URN of a program. Raises InvalidName, also for a URN that is not an application's job."""
        identity = self.write_path.identity
        return parse_v3_path((*make_v3_path(application, identity).segments, type_, id_), identity)

    def _find_current_entity(self, urn: Urn, principal: Principal) -> Entity | None:
        try:
            return self.reader.read_entity(urn, ["technicalMetadata"], principal)
        except NotFound:
            return None


@dataclass(frozen=True, slots=True)
class _StaleSystemMetadata:
    """System metadata to remove, and the condition that nothing has changed since it was read."""

    properties: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    condition: WriteCondition = field(default_factory=WriteCondition)
    every_tag: bool = False


_NOTHING_STALE: Final = _StaleSystemMetadata()
#: A workflow's nodes are reported together, so all its tags are replaced.
_REPLACE_ALL_TAGS: Final = _StaleSystemMetadata(every_tag=True)


def _create_registration_proposals(
    urn: Urn, deployed: RegistrationRequest, stale: _StaleSystemMetadata = _NOTHING_STALE
) -> Iterable[Proposal]:
    annotation = MetadataAnnotation(
        deployed.facts, deployed.labels, stale.properties, stale.tags, clear_tags=stale.every_tag
    )
    yield from _create_system_metadata_proposals(urn, annotation, "namespace", stale.condition)
    if deployed.settings:
        settings = {"customProperties": dict(deployed.settings)}
        yield Proposal(urn, "datasetProperties", "patch", settings, needs="namespace")
    if deployed.schema is not None:
        value = {
            "fields": _build_columns_of_avro_schema(deployed.schema),
            "platformSchema": {SCHEMA_TEXT: deployed.schema},
        }
        yield Proposal(urn, "schemaMetadata", "upsert", value, needs="namespace")
    if deployed.user_metadata != MetadataAnnotation():
        yield Proposal(urn, "businessMetadata", "annotate", deployed.user_metadata, needs="namespace")


def _create_system_metadata_proposals(
    urn: Urn, annotation: MetadataAnnotation, needs: Any, condition: WriteCondition
) -> Iterable[Proposal]:
    yield Proposal(urn, "status", "upsert", {"removed": False}, needs=needs, implied=True)
    if annotation != MetadataAnnotation():
        yield Proposal(urn, "technicalMetadata", "annotate", annotation, condition, needs=needs, implied=True)


def _build_columns_of_avro_schema(schema: str) -> list[dict[str, str]]:
    return [{"fieldPath": path, "nativeDataType": type_} for path, type_ in list_columns_of_avro(schema)]


def _get_type_word(type_: str) -> str:
    if type_ not in KINDS:
        raise InvalidInstance("the application", (Problem(f"/programs/{type_}", f"one of {', '.join(KINDS)}"),))
    return KINDS[type_].word


def _iterate_programs_of_property_keys(keys: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Yield type and id of the programs in an application's properties, such as `Flow:<id>`."""
    types = {kind.word: type_ for type_, kind in KINDS.items()}
    for key in keys:
        word, colon, id_ = key.partition(":")
        if word in types and colon:
            yield types[word], id_
