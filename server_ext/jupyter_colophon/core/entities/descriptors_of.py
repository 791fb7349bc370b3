"""Combine the descriptors of all aspects of an entity (core/model/vocabulary.py)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from jupyter_colophon.core.entities.entity import Aspect
from jupyter_colophon.core.model.registry import EntityType
from jupyter_colophon.core.model.vocabulary import Descriptor, list_descriptors_of_value


def list_aspect_descriptors(kind: EntityType, aspect: Aspect) -> Iterator[Descriptor]:
    """Yield the descriptors of one aspect of an entity of this type."""
    spec = kind.find_aspect(aspect.name)
    return list_descriptors_of_value(aspect.name, aspect.scope, aspect.value, () if spec is None else spec.contributes)


def list_entity_descriptors(
    kind: EntityType, aspects: Mapping[str, Aspect], *, fields: bool = False
) -> Iterator[Descriptor]:
    """Yield the descriptors of an entity of this type, USER first; with `fields` also those of its schema."""
    for aspect in sorted(aspects.values(), key=lambda descriptor: (descriptor.scope != "USER", descriptor.name)):
        described = list_aspect_descriptors(kind, aspect)
        yield from described if fields else (descriptor for descriptor in described if descriptor.kind != "field")


@dataclass(frozen=True, slots=True)
class ResolvedDescriptor:
    """A descriptor with the names of what it refers to: `name` is that of the referenced entity, `source` the entity
    that has the aspect.
    """

    descriptor: Descriptor
    source: str
    name: str
