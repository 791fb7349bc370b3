"""The entity registry: which entity types exist, and which aspects each has.

Ours are defined in `schemas/registry.json`. DataHub's (core/model/datahub_model.py) are more of both; they are loaded when
somebody first asks for one that is not ours, so that nobody waits for them at the start.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property, partial
from typing import Any

from jupyter_colophon.core.documents.json_schema import Schema
from jupyter_colophon.core.errors import NotFound, UnknownEntityType
from jupyter_colophon.core.model.joined_schema import joined
from jupyter_colophon.core.model.relationships import Relationship
from jupyter_colophon.core.model.validators import Rule
from jupyter_colophon.core.model.vocabulary import Contribution
from jupyter_colophon.core.model.vocabulary import Scope as Scope

#: No longer word is compared with the names of types.
_LONGEST_TYPE = 50


@dataclass(frozen=True, slots=True)
class AspectSpec:
    """One aspect: its schema, whose it is, and the value that a patch of an absent one starts from.

    `door` names the only door through which it is changed; empty for the usual ones. `offered`: forms show it also
    where there is none yet. One that is `timeseries` is appended by time and has no versions.
    """

    name: str
    title: str
    scope: Scope
    key: bool
    schema: Schema
    empty: Mapping[str, Any] = field(default_factory=dict)
    uihints: Mapping[str, Any] = field(default_factory=dict)
    door: str = ""
    offered: bool = False
    timeseries: bool = False
    schema_version: int = 1
    relationships: tuple[Relationship, ...] = ()
    #: The member that tells the items of a list apart, by the pointer to the list.
    array_keys: Mapping[str, str] = field(default_factory=dict)
    #: The pointers to texts that people look for; `*` is any item or key.
    searched: tuple[str, ...] = ()
    #: What its schema's annotations say that values contribute (core/model/vocabulary.py); only of a registry overlay.
    contributes: tuple[Contribution, ...] = ()


@dataclass(frozen=True)
class EntityType:
    """One kind of thing that metadata is about.

    `key` names the parts of its URN; None where they are of any number. `more` gives the aspects besides its `own`.
    """

    type: str
    title: str
    key_aspect: str
    key: tuple[str, ...] | None
    own: tuple[AspectSpec, ...]
    more: Callable[[], tuple[AspectSpec, ...]] = tuple
    category: str = ""
    doc: str = ""

    @cached_property
    def aspects(self) -> tuple[AspectSpec, ...]:
        """All its aspects."""
        return (*self.own, *self.more())

    @cached_property
    def _by_name(self) -> Mapping[str, AspectSpec]:
        return {spec.name: spec for spec in self.aspects}

    @cached_property
    def _own_by_name(self) -> Mapping[str, AspectSpec]:
        return {spec.name: spec for spec in self.own}

    def aspect(self, name: str) -> AspectSpec | None:
        """The aspect of this name; None where it has none."""
        return self._own_by_name.get(name) or self._by_name.get(name)

    @property
    def door(self) -> str:
        """The only door through which such an entity comes and goes: that of one of its aspects."""
        return next((spec.door for spec in self.own if spec.door), "")


@dataclass(frozen=True, slots=True)
class Modelled:
    """An entity type of DataHub's model, with the names of its aspects; its key aspect is not among them."""

    key_aspect: str
    aspects: tuple[str, ...]
    category: str = ""
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    """DataHub's model: entity types and aspects by their names, and the parts of URNs by the name of the key aspect."""

    entities: Mapping[str, Modelled] = field(default_factory=dict)
    aspects: Mapping[str, AspectSpec] = field(default_factory=dict)
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: The names of the aspects' classes, by which some clients know them.
    classes: Mapping[str, str] = field(default_factory=dict)


#: The schema of what the registry lost: nobody knows what it must be.
_ANY = Schema({})


class Registry:
    """Entity types by name: ours first, then those of the model, of which ours have the aspects too."""

    def __init__(
        self,
        own: Iterable[EntityType],
        more: Callable[[], Iterable[EntityType]] = tuple,
        classes: Callable[[], Mapping[str, str]] = dict,
        rules: Callable[[], tuple[Rule, ...]] = tuple,
    ) -> None:
        self._own = {kind.type: kind for kind in own}
        self._more, self._load_classes, self._load_rules = more, classes, rules

    @classmethod
    def from_documents(
        cls,
        registry: Mapping[str, Any],
        aspects: Mapping[str, Mapping[str, Any]],
        model: Callable[[], Model] = Model,
        rules: Callable[[], tuple[Rule, ...]] = tuple,
    ) -> "Registry":
        """The registry of these documents; an aspect's own member `colophon` says its scope and hints."""
        specs = {name: _aspect_spec(name, document) for name, document in aspects.items()}
        widening = {name for name, document in aspects.items() if document.get("colophon", {}).get("widens")}
        rest = _Rest(model, {name: specs[name] for name in widening})
        own = [_own(entry, specs, rest) for entry in registry["entities"]]
        everywhere = tuple(specs[name] for name in registry["everywhere"])
        return cls(own, lambda: rest.types({kind.type for kind in own}, everywhere), rest.classes, rules)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """What other packages look at before it is written."""
        return self._load_rules()

    @cached_property
    def _types(self) -> Mapping[str, EntityType]:
        return self._own | {kind.type: kind for kind in self._more()}

    @cached_property
    def _classes(self) -> Mapping[str, str]:
        return self._load_classes()

    @cached_property
    def _by_class(self) -> Mapping[str, str]:
        return {name: aspect for aspect, name in self._classes.items()}

    def class_of(self, aspect: str) -> str:
        """The name of an aspect's class; that of one which the model does not know is its own."""
        return self._classes.get(aspect, aspect)

    def aspect_of_class(self, name: str) -> str | None:
        """The aspect whose class has this name; None where there is none."""
        return self._by_class.get(name)

    @property
    def types(self) -> tuple[EntityType, ...]:
        """All entity types: ours in the registry's order, then the model's."""
        return tuple(self._types.values())

    def type(self, name: str) -> EntityType:
        """An entity type; raises UnknownEntityType."""
        kind = self._own.get(name) or self._types.get(name)
        if kind is None:
            raise UnknownEntityType("entity type", name, self._meant(name))
        return kind

    def _meant(self, name: str) -> str:
        """What to write instead: the type that is spelled alike, else ours."""
        if alike := get_close_matches(name[:_LONGEST_TYPE], self._types, n=1):
            return f"did you mean {alike[0]}?"
        return f"there are {', '.join(self._own)} and, of DataHub's model, {len(self._types) - len(self._own)} others"

    def knows(self, name: str) -> bool:
        """Whether there is an entity type of this name."""
        return name in self._own or name in self._types

    def has_aspect(self, entity_type: str, name: str) -> bool:
        """Return whether there is such a type, and such an aspect of it."""
        return self.knows(entity_type) and self.type(entity_type).aspect(name) is not None

    def stored_type(self, name: str) -> EntityType:
        """Return the type of an entity that is stored: one that the registry lost is read as it is."""
        if self.knows(name):
            return self.type(name)
        return EntityType(type=name, title=name, key_aspect=f"{name}Key", key=None, own=())

    def stored_aspect(self, entity_type: str, name: str) -> AspectSpec:
        """Return the aspect of an entity that is stored: one that the registry lost is read as it is.

        Whose it was is known by its name alone.
        """
        kind = self.stored_type(entity_type)
        if (spec := kind.aspect(name)) is not None:
            return spec
        scope: Scope = "USER" if name.startswith("editable") else "SYSTEM"
        return AspectSpec(name=name, title=name, scope=scope, key=name == kind.key_aspect, schema=_ANY)

    def aspect(self, entity_type: str, name: str) -> AspectSpec:
        """An aspect of an entity type; raises NotFound."""
        spec = self.type(entity_type).aspect(name)
        if spec is None:
            raise NotFound(f"aspect of a {entity_type}", name)
        return spec


class _Rest:
    """What the model adds to ours; it is loaded with the first question."""

    def __init__(self, load: Callable[[], Model], widened: Mapping[str, AspectSpec]) -> None:
        self._load, self.widened = load, widened

    @cached_property
    def _model(self) -> Model:
        model = self._load()
        wider = {name: _wider(spec, model.aspects.get(name, spec)) for name, spec in self.widened.items()}
        return replace(model, aspects={**model.aspects, **wider})

    def aspects(self, type_: str, own: Iterable[str], named: Iterable[str] = ()) -> tuple[AspectSpec, ...]:
        """The aspects of a type besides its own."""
        modelled = self._model.entities.get(type_)
        names = dict.fromkeys([*named, *(modelled.aspects if modelled else ())])
        return tuple(self._model.aspects[name] for name in names if name not in set(own))

    def classes(self) -> Mapping[str, str]:
        """The names of the aspects' classes."""
        return self._model.classes

    def types(self, known: Collection[str], everywhere: tuple[AspectSpec, ...]) -> Iterator[EntityType]:
        """The types that are not known."""
        for name, modelled in self._model.entities.items():
            if name not in known:
                own = (*everywhere, self._model.aspects[modelled.key_aspect])
                yield EntityType(
                    type=name,
                    title=title_of(name),
                    key_aspect=modelled.key_aspect,
                    key=self._model.keys[modelled.key_aspect],
                    own=own,
                    more=partial(self.aspects, name, [spec.name for spec in own]),
                    category=modelled.category,
                    doc=modelled.doc,
                )


def title_of(name: str) -> str:
    """A name such as `dataHubPolicy` as words: `Data hub policy`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower()
    return words[:1].upper() + words[1:]


def _own(entry: Mapping[str, Any], specs: Mapping[str, AspectSpec], rest: _Rest) -> EntityType:
    named = [name for name in entry["aspects"] if name in rest.widened]
    own = [name for name in entry["aspects"] if name not in named]
    return EntityType(
        type=entry["type"],
        title=entry["title"],
        key_aspect=entry["keyAspect"],
        key=None if entry["key"] is None else tuple(entry["key"]),
        own=tuple(specs[name] for name in own),
        more=partial(rest.aspects, entry["type"], own, named),
    )


def _wider(ours: AspectSpec, theirs: AspectSpec) -> AspectSpec:
    if ours is theirs:
        return ours
    return replace(
        theirs,
        title=ours.title,
        schema=Schema(lambda: joined(ours.schema.document, theirs.schema.document)),
        empty=ours.empty,
        uihints=ours.uihints,
    )


def _aspect_spec(name: str, document: Mapping[str, Any]) -> AspectSpec:
    about = document.get("colophon", {})
    return AspectSpec(
        name=name,
        title=document.get("title", name),
        scope=about.get("scope", "SYSTEM"),
        key=about.get("key", False),
        schema=Schema(document),
        empty=about.get("empty", {}),
        uihints=about.get("uihints", {}),
        door=about.get("door", ""),
        offered=about.get("scope") == "USER",
    )
