"""What a user's `entity-registry.yml` adds to the model: entity types, aspects, scopes and rules (docs/registry.md).

It is DataHub's file with a list of aspects besides. Whatever is wrong in it is told with a pointer and left out; the
rest counts.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, get_args

from jupyter_colophon.core.documents.json_schema import Dialect, Schema
from jupyter_colophon.core.documents.pointer import written
from jupyter_colophon.core.documents.untrusted_schema import refusals
from jupyter_colophon.core.errors import MetadataError, Problem, shown
from jupyter_colophon.core.model.datahub_model import scope_of
from jupyter_colophon.core.model.registry import AspectSpec, Model, Modelled, Scope, title_of
from jupyter_colophon.core.model.validators import ANY, OPERATIONS, Check, Rule
from jupyter_colophon.core.model.vocabulary import find_annotations

_TYPE: Final = re.compile(r"[A-Za-z]{1,64}")
_ASPECT: Final = re.compile(r"[A-Za-z][A-Za-z0-9]{0,63}")
#: Members of DataHub's file that mean nothing here.
_PASSED_BY: Final = frozenset({"id", "events"})
_SCOPES: Final = frozenset(get_args(Scope))
#: The key of a rule among DataHub's plugins; what else is there is Java.
_RULES, _OURS = "aspectPayloadValidators", "entryPoint"

Words = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class ExtensionContext:
    """What an overlay is read in: our types and aspects, the schemas beside the file, other packages' checks.

    `types` gives the key aspect of a type of ours, an empty one where nobody can add to it.
    `schema` gives the document of that name, None where there is none; `check` the entry point's. Both raise MetadataError.
    """

    types: Mapping[str, str]
    aspects: Collection[str]
    schema: Callable[[str], Any]
    check: Callable[[str], Check]


@dataclass(slots=True)
class Overlay:
    """The model with what was added, the rules, what was left out and why, and what means nothing here."""

    model: Model
    rules: tuple[Rule, ...] = ()
    faults: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)


def overlaid(model: Model, document: Any, context: ExtensionContext) -> Overlay:
    """The model with this document over it."""
    found = Overlay(model)
    if not isinstance(document, Mapping):
        found.faults.append(Problem("", "is no mapping of `entities`, `aspects` and `plugins`"))
        return found
    _Reading(found, context).read(document)
    return found


@dataclass(slots=True)
class _Reading:
    overlay: Overlay
    context: ExtensionContext
    _place: Words = ()

    def read(self, document: Mapping[str, Any]) -> None:
        for name in document:
            if name not in ("entities", "aspects", "plugins", *_PASSED_BY):
                self._fault((str(name),), "there is no member of this name")
        for at, told in self._listed(document, "aspects"):
            self._aspect(("aspects", at), told)
        for at, told in self._listed(document, "entities"):
            self._entity(("entities", at), told)
        self._plugins(document.get("plugins"))

    def _fault(self, words: Words, message: str) -> None:
        self.overlay.faults.append(Problem(written(map(str, words)), message))

    def _listed(self, holder: Mapping[Any, Any], name: str, *above: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
        told = holder.get(name)
        if told is not None and not isinstance(told, list):
            self._fault((*above, name), "is no list")
            return
        for at, one in enumerate(told or ()):
            if isinstance(one, Mapping):
                yield at, one
            else:
                self._fault((*above, name, at), "is no mapping")

    def _aspect(self, words: Words, told: Mapping[str, Any]) -> None:
        """An aspect that is new, or another scope of one that is known."""
        name, scope = told.get("name"), told.get("scope")
        if not self._is_named(words, name, _ASPECT):
            return
        if unknown := [key for key in told if key not in ("name", "title", "scope", "schema", "timeseries")]:
            self._fault((*words, str(unknown[0])), "there is no member of this name")
        elif scope not in (None, *_SCOPES):
            self._fault((*words, "scope"), "is USER or SYSTEM")
        elif name in self.context.aspects:
            self._fault(words, f"the aspect {name} is ours, and stays as it is")
        elif name not in self.overlay.model.aspects:
            self._new_aspect(words, str(name), told)
        elif {"schema", "title", "timeseries"} & told.keys():
            self._fault(words, f"the aspect {name} is DataHub's: it can have another scope, and nothing else")
        elif scope is not None:
            self._take(replace(self.overlay.model.aspects[str(name)], scope=scope))

    def _new_aspect(self, words: Words, name: str, told: Mapping[str, Any]) -> bool:
        """Take an aspect by its schema beside the file; whether it is there."""
        file = told.get("schema", f"{name}.json")
        try:
            document = self.context.schema(file) if isinstance(file, str) else None
        except MetadataError as error:
            self._fault(words, error.detail)
            return False
        if document is None:
            self._fault(words, f"there is no aspect {name}, and no schema {shown(str(file))} beside the file")
            return False
        timeseries = told.get("timeseries", False)
        wrong = [Problem(one.pointer, one.message) for one in refusals(document, Dialect.DRAFT_2020_12)]
        if not wrong and (document.get("type") != "object" or not isinstance(timeseries, bool)):
            wrong = [Problem("", "the schema of an aspect is that of an object; timeseries is true or false")]
        if not wrong and timeseries and "timestampMillis" not in document.get("required", ()):
            wrong = [Problem("/required", "what is told by time has to have the member timestampMillis")]
        for one in wrong[:1]:
            self._fault(words, f"{shown(str(file))} at {one.pointer or 'the top'}: {one.message}")
        if not wrong:
            scope = told.get("scope") or scope_of(name)
            title = str(told.get("title") or document.get("title") or title_of(name))
            spec = AspectSpec(name, title, scope, key=False, schema=Schema(document), timeseries=timeseries)
            if not timeseries:
                spec = replace(spec, contributes=find_annotations(document), offered=scope == "USER")
            self._take(spec)
        return not wrong

    def _take(self, spec: AspectSpec) -> None:
        model = self.overlay.model
        self.overlay.model = replace(model, aspects={**model.aspects, spec.name: spec})

    def _is_named(self, words: Words, name: Any, grammar: re.Pattern[str]) -> bool:
        if isinstance(name, str) and grammar.fullmatch(name):
            return True
        self._fault((*words, "name"), "is a name of ASCII letters" + (" and digits" if grammar is _ASPECT else ""))
        return False

    def _entity(self, words: Words, told: Mapping[str, Any]) -> None:
        """A type that is new, or more aspects of one that is known."""
        name = told.get("name")
        if not self._is_named(words, name, _TYPE):
            return
        known = self.overlay.model.entities.get(str(name))
        key = known.key_aspect if known else self.context.types.get(str(name))
        if key == "":
            self._fault(words, f"the type {name} is ours, and stays as it is")
            return
        if key is None:
            key = self._new_key(words, told.get("keyAspect"))
            if key is None:
                return
        elif told.get("keyAspect", key) != key:
            self._fault((*words, "keyAspect"), f"the key aspect of a {name} is {key}")
            return
        before = known or Modelled(key, (), str(told.get("category", "")), str(told.get("doc", "")))
        more = [*before.aspects, *self._named_aspects(words, told)]
        model = self.overlay.model
        entity = replace(before, aspects=tuple(dict.fromkeys(one for one in more if one != key)))
        self.overlay.model = replace(model, entities={**model.entities, str(name): entity})

    def _named_aspects(self, words: Words, told: Mapping[str, Any]) -> Iterator[str]:
        named = told.get("aspects")
        if named is not None and not isinstance(named, list):
            self._fault((*words, "aspects"), "is no list")
            return
        for at, one in enumerate(named or ()):
            if not isinstance(one, str) or not _ASPECT.fullmatch(one):
                self._fault((*words, "aspects", at), "is a name of ASCII letters and digits")
            elif one not in self.context.aspects and self._is_there((*words, "aspects", at), one):
                yield one

    def _is_there(self, words: Words, aspect: str) -> bool:
        return aspect in self.overlay.model.aspects or self._new_aspect(words, aspect, {})

    def _new_key(self, words: Words, name: Any) -> str | None:
        """The key aspect of a new type: its schema names the parts of the URN, in their order."""
        place = (*words, "keyAspect")
        if not isinstance(name, str) or not _ASPECT.fullmatch(name):
            self._fault(place, "a new type of entity has a key aspect, whose schema names the parts of its URN")
            return None
        if name in self.context.aspects or any(name == one.key_aspect for one in self.overlay.model.entities.values()):
            self._fault(place, f"the key aspect {name} is another type's")
            return None
        if not self._is_there(place, name):
            return None
        spec = self.overlay.model.aspects[name]
        named, required = spec.schema.document.get("properties", {}), spec.schema.document.get("required", ())
        texts = all(isinstance(one, Mapping) and one.get("type") == "string" for one in named.values())
        if not named or not texts or set(named) != set(required):
            self._fault(place, f"the schema of {name} has texts as properties, all of them required: the URN's parts")
            return None
        self._take(replace(spec, key=True))
        model = self.overlay.model
        self.overlay.model = replace(model, keys={**model.keys, name: tuple(named)})
        return name

    def _plugins(self, told: Any) -> None:
        if told is None:
            return
        if not isinstance(told, Mapping):
            self._fault(("plugins",), "is no mapping")
            return
        for name in told:
            for at, one in self._listed(told, name, "plugins"):
                words = ("plugins", str(name), at)
                if name == _RULES and _OURS in one:
                    self._rule(words, one)
                else:
                    what = shown(str(one.get("className", name)))
                    self.overlay.warnings.append(Problem(written(map(str, words)), f"{what} is Java, and is not run"))

    def _rule(self, words: Words, told: Mapping[str, Any]) -> None:
        if told.get("enabled", True) is not True:
            return
        name, operations = told[_OURS], told.get("supportedOperations", [])
        places = told.get("supportedEntityAspectNames", [{}])
        if not isinstance(operations, list) or not all(one in OPERATIONS for one in operations):
            self._fault((*words, "supportedOperations"), f"is a list of {', '.join(OPERATIONS)}")
        elif not isinstance(places, list) or not all(isinstance(one, Mapping) for one in places):
            self._fault((*words, "supportedEntityAspectNames"), "is a list of mappings of entityName and aspectName")
        else:
            pairs = tuple((str(one.get("entityName", ANY)), str(one.get("aspectName", ANY))) for one in places)
            try:
                rule = Rule(str(name), self.context.check(str(name)), frozenset(operations), pairs)
            except MetadataError as error:
                self._fault((*words, _OURS), error.detail)
            else:
                self.overlay.rules = (*self.overlay.rules, rule)
