"""The entity registry: the entity types and their aspects.

Our own are defined in `schemas/registry.json`. DataHub's model (core/model/datahub_model.py) adds more of both; it is
loaded at the first use of a type that is not ours, which shortens the start.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property, partial
from typing import Any

from jupyter_colophon.core.documents.json_schema import Schema
from jupyter_colophon.core.errors import NotFound, UnknownEntityType
from jupyter_colophon.core.model.joined_schema import join_aspect_schemas
from jupyter_colophon.core.model.relationships import Relationship
from jupyter_colophon.core.model.validators import AspectValidator
from jupyter_colophon.core.model.vocabulary import Contribution
from jupyter_colophon.core.model.vocabulary import Scope as Scope

#: Longer names are not compared with the names of types.
_LONGEST_TYPE = 50


@dataclass(frozen=True, slots=True)
class AspectSpec:
    """An aspect: its schema, its scope, and the value to which a patch of an absent aspect is applied.

    `managed_by` names the only API that changes the aspect; empty if any API may. With `editable_by_default`, forms
    show the aspect even if it is absent. A `timeseries` aspect is appended by time and has no versions.
    """

    name: str
    title: str
    scope: Scope
    key: bool
    schema: Schema
    empty: Mapping[str, Any] = field(default_factory=dict)
    uihints: Mapping[str, Any] = field(default_factory=dict)
    managed_by: str = ""
    editable_by_default: bool = False
    timeseries: bool = False
    schema_version: int = 1
    relationships: tuple[Relationship, ...] = ()
    #: The member that identifies the items of a list, by the pointer to the list.
    array_keys: Mapping[str, str] = field(default_factory=dict)
    #: The pointers to texts that are searched; `*` is any item or key.
    searchable_paths: tuple[str, ...] = ()
    #: What its schema's annotations contribute (core/model/vocabulary.py); only for aspects of a registry extension.
    contributes: tuple[Contribution, ...] = ()


@dataclass(frozen=True)
class EntityType:
    """An entity type.

    `key` names the parts of its URN; None if their number varies. `load_more_aspects` returns the aspects besides its `own_aspects`.
    """

    type: str
    title: str
    key_aspect: str
    key: tuple[str, ...] | None
    own_aspects: tuple[AspectSpec, ...]
    load_more_aspects: Callable[[], tuple[AspectSpec, ...]] = tuple
    category: str = ""
    doc: str = ""

    @cached_property
    def aspects(self) -> tuple[AspectSpec, ...]:
        """Return all aspects."""
        return (*self.own_aspects, *self.load_more_aspects())

    @cached_property
    def _by_name(self) -> Mapping[str, AspectSpec]:
        return {spec.name: spec for spec in self.aspects}

    @cached_property
    def _own_by_name(self) -> Mapping[str, AspectSpec]:
        return {spec.name: spec for spec in self.own_aspects}

    def find_aspect(self, name: str) -> AspectSpec | None:
        """Return the aspect of this name; None if the type does not have it."""
        spec = self._own_by_name.get(name)
        return self._by_name.get(name) if spec is None else spec

    @cached_property
    def managed_by(self) -> str:
        """Return the only API that creates and deletes such entities: that of one of its aspects."""
        return next((spec.managed_by for spec in self.own_aspects if spec.managed_by), "")


@dataclass(frozen=True, slots=True)
class DataHubEntityType:
    """An entity type of DataHub's model, with the names of its aspects without the key aspect."""

    key_aspect: str
    aspects: tuple[str, ...]
    category: str = ""
    doc: str = ""


@dataclass(frozen=True, slots=True)
class DataHubModel:
    """DataHub's model: entity types and aspects by name, and the parts of URNs by the name of the key aspect."""

    entities: Mapping[str, DataHubEntityType] = field(default_factory=dict)
    aspects: Mapping[str, AspectSpec] = field(default_factory=dict)
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: The names of the aspects' classes, which some clients use.
    classes: Mapping[str, str] = field(default_factory=dict)


#: The schema of unregistered aspects: any value.
_ANY = Schema({})


class Registry:
    """Entity types by name: ours first, then those of DataHub's model, whose aspects also extend ours."""

    def __init__(
        self,
        own_types: Iterable[EntityType],
        load_more_types: Callable[[], Iterable[EntityType]] = tuple,
        classes: Callable[[], Mapping[str, str]] = dict,
        load_validators: Callable[[], tuple[AspectValidator, ...]] = tuple,
    ) -> None:
        self._own = {kind.type: kind for kind in own_types}
        self._more, self._load_classes, self._load_validators = load_more_types, classes, load_validators

    @classmethod
    def from_documents(
        cls,
        registry: Mapping[str, Any],
        aspects: Mapping[str, Mapping[str, Any]],
        model: Callable[[], DataHubModel] = DataHubModel,
        validators: Callable[[], tuple[AspectValidator, ...]] = tuple,
    ) -> "Registry":
        """Create from these documents; the member `colophon` of an aspect's schema has its scope and hints."""
        specs = {name: _build_aspect_spec(name, document) for name, document in aspects.items()}
        widening = {name for name, document in aspects.items() if document.get("colophon", {}).get("widens")}
        rest = _LazyDataHubModel(model, {name: specs[name] for name in widening})
        own = [_build_entity_type(entry, specs, rest) for entry in registry["entities"]]
        everywhere = tuple(specs[name] for name in registry["everywhere"])
        return cls(own, lambda: rest.list_types({kind.type for kind in own}, everywhere), rest.get_classes, validators)

    @cached_property
    def validators(self) -> tuple[AspectValidator, ...]:
        """Return the validators of other packages, which are called before a write."""
        return self._load_validators()

    @cached_property
    def _types(self) -> Mapping[str, EntityType]:
        return self._own | {kind.type: kind for kind in self._more()}

    @cached_property
    def _classes(self) -> Mapping[str, str]:
        return self._load_classes()

    @cached_property
    def _by_class(self) -> Mapping[str, str]:
        return {name: aspect for aspect, name in self._classes.items()}

    def get_class_name(self, aspect: str) -> str:
        """Return the name of an aspect's class; the aspect's own name if the model does not have it."""
        return self._classes.get(aspect, aspect)

    def find_aspect_by_class(self, name: str) -> str | None:
        """Return the aspect with this class name; None if there is none."""
        return self._by_class.get(name)

    @property
    def types(self) -> tuple[EntityType, ...]:
        """Return all entity types: ours in the registry's order, then the model's."""
        return tuple(self._types.values())

    def get_type(self, name: str) -> EntityType:
        """Return an entity type. Raises UnknownEntityType."""
        kind = self._own.get(name) or self._types.get(name)
        if kind is None:
            raise UnknownEntityType("entity type", name, self._format_hint_for_unknown_type(name))
        return kind

    def _format_hint_for_unknown_type(self, name: str) -> str:
        """Return a hint for an unknown type: a similar name, or the names of our types."""
        if groups := get_close_matches(name[:_LONGEST_TYPE], self._types, n=1):
            return f"did you mean {groups[0]}?"
        return (
            f"expected {', '.join(self._own)}, or one of {len(self._types) - len(self._own)} types of DataHub's model"
        )

    def has_type(self, name: str) -> bool:
        """Return whether there is an entity type with this name."""
        return name in self._own or name in self._types

    def has_aspect(self, entity_type: str, name: str) -> bool:
        """Return whether there is such a type with such an aspect."""
        return self.has_type(entity_type) and self.get_type(entity_type).find_aspect(name) is not None

    def get_type_or_unregistered(self, name: str) -> EntityType:
        """Return the type of a stored entity, which may no longer be registered."""
        if (kind := self._own.get(name) or self._types.get(name)) is not None:
            return kind
        return EntityType(type=name, title=name, key_aspect=f"{name}Key", key=None, own_aspects=())

    def get_aspect_or_unregistered(self, entity_type: str, name: str) -> AspectSpec:
        """Return the aspect of a stored entity, which may no longer be registered.

        The scope of an unregistered aspect is derived from its name.
        """
        kind = self.get_type_or_unregistered(entity_type)
        if (spec := kind.find_aspect(name)) is not None:
            return spec
        scope: Scope = "USER" if name.startswith("editable") else "SYSTEM"
        return AspectSpec(name=name, title=name, scope=scope, key=name == kind.key_aspect, schema=_ANY)

    def get_aspect(self, entity_type: str, name: str) -> AspectSpec:
        """Return an aspect of an entity type. Raises NotFound."""
        spec = self.get_type(entity_type).find_aspect(name)
        if spec is None:
            raise NotFound(f"{entity_type} aspect", name)
        return spec


class _LazyDataHubModel:
    """The part of DataHub's model that ours does not define; loaded at its first use."""

    def __init__(self, load: Callable[[], DataHubModel], widened: Mapping[str, AspectSpec]) -> None:
        self._load, self.widened = load, widened

    @cached_property
    def _model(self) -> DataHubModel:
        model = self._load()
        wider = {name: _extend_aspect_spec(spec, model.aspects.get(name, spec)) for name, spec in self.widened.items()}
        return replace(model, aspects={**model.aspects, **wider})

    def list_aspects(
        self, type_: str, own_names: Iterable[str], requested_names: Iterable[str] = ()
    ) -> tuple[AspectSpec, ...]:
        """Return the aspects of a type besides its own."""
        modelled = self._model.entities.get(type_)
        names = dict.fromkeys([*requested_names, *(modelled.aspects if modelled else ())])
        return tuple(self._model.aspects[name] for name in names if name not in set(own_names))

    def get_classes(self) -> Mapping[str, str]:
        """Return the names of the aspects' classes."""
        return self._model.classes

    def list_types(self, known_types: Collection[str], common_aspects: tuple[AspectSpec, ...]) -> Iterator[EntityType]:
        """Yield the types that are not in `known_types`."""
        for name, modelled in self._model.entities.items():
            if name not in known_types:
                own = (*common_aspects, self._model.aspects[modelled.key_aspect])
                yield EntityType(
                    type=name,
                    title=split_camel_case(name),
                    key_aspect=modelled.key_aspect,
                    key=self._model.keys[modelled.key_aspect],
                    own_aspects=own,
                    load_more_aspects=partial(self.list_aspects, name, [spec.name for spec in own]),
                    category=modelled.category,
                    doc=modelled.doc,
                )


def split_camel_case(name: str) -> str:
    """Return a name such as `dataHubPolicy` as words: `Data hub policy`; `mlModel` is `ML model`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower()
    return f"ML{words[2:]}" if words.startswith("ml ") else words[:1].upper() + words[1:]


def _build_entity_type(
    entry: Mapping[str, Any], specs: Mapping[str, AspectSpec], datahub_model: _LazyDataHubModel
) -> EntityType:
    named = [name for name in entry["aspects"] if name in datahub_model.widened]
    own = [name for name in entry["aspects"] if name not in named]
    return EntityType(
        type=entry["type"],
        title=entry["title"],
        key_aspect=entry["keyAspect"],
        key=None if entry["key"] is None else tuple(entry["key"]),
        own_aspects=tuple(specs[name] for name in own),
        load_more_aspects=partial(datahub_model.list_aspects, entry["type"], own, named),
    )


def _extend_aspect_spec(own_spec: AspectSpec, datahub_spec: AspectSpec) -> AspectSpec:
    if own_spec is datahub_spec:
        return own_spec
    return replace(
        datahub_spec,
        title=own_spec.title,
        schema=Schema(lambda: join_aspect_schemas(own_spec.schema.document, datahub_spec.schema.document)),
        empty=own_spec.empty,
        uihints=own_spec.uihints,
    )


def _build_aspect_spec(name: str, document: Mapping[str, Any]) -> AspectSpec:
    about = document.get("colophon", {})
    return AspectSpec(
        name=name,
        title=document.get("title", name),
        scope=about.get("scope", "SYSTEM"),
        key=about.get("key", False),
        schema=Schema(document),
        empty=about.get("empty", {}),
        uihints=about.get("uihints", {}),
        managed_by=about.get("managedBy", ""),
        editable_by_default=about.get("scope") == "USER" and about.get("form", True),
        relationships=tuple(
            Relationship(tuple(entry["path"].split("/")), entry["name"]) for entry in about.get("relationships", ())
        ),
    )
