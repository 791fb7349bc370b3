"""What all aspects of an entity say together, as descriptors of the vocabulary (core/model/vocabulary.py)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from jupyter_colophon.core.entities.entity import Aspect
from jupyter_colophon.core.model.registry import EntityType
from jupyter_colophon.core.model.vocabulary import Descriptor, describe


def describe_aspect(kind: EntityType, aspect: Aspect) -> Iterator[Descriptor]:
    """Yield what one aspect of an entity of this type says."""
    spec = kind.aspect(aspect.name)
    return describe(aspect.name, aspect.scope, aspect.value, () if spec is None else spec.contributes)


def describe_entity(kind: EntityType, aspects: Mapping[str, Aspect], *, fields: bool = False) -> Iterator[Descriptor]:
    """Yield what the aspects of an entity of this type say, people's first; with `fields` also those of its schema."""
    for aspect in sorted(aspects.values(), key=lambda one: (one.scope != "USER", one.name)):
        yield from (one for one in describe_aspect(kind, aspect) if fields or one.kind != "field")


@dataclass(frozen=True, slots=True)
class Shown:
    """A descriptor as readers see it: `name` is that of what it refers to, `source` the entity that has the aspect."""

    descriptor: Descriptor
    source: str
    name: str
