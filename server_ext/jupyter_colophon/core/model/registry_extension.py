"""Read a user's `entity-registry.yml`: entity types, aspects, scopes and validators added to the model
(docs/registry.md).

The file has DataHub's format and a list of aspects. An invalid entry is reported with a pointer and left out; the
others take effect.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, get_args

from jupyter_colophon.core.documents.json_schema import Schema, SchemaDialect
from jupyter_colophon.core.documents.pointer import format_pointer
from jupyter_colophon.core.documents.untrusted_schema import find_untrusted_schema_problems
from jupyter_colophon.core.errors import MetadataError, Problem, quote_and_truncate_text
from jupyter_colophon.core.model.datahub_model import get_default_scope
from jupyter_colophon.core.model.registry import (
    AspectSpec,
    DataHubEntityType,
    DataHubModel,
    Scope,
    split_camel_case,
)
from jupyter_colophon.core.model.validators import ANY, OPERATIONS, AspectValidator, Check
from jupyter_colophon.core.model.vocabulary import find_contributions_of_schema

_TYPE: Final = re.compile(r"[A-Za-z]{1,64}")
_ASPECT: Final = re.compile(r"[A-Za-z][A-Za-z0-9]{0,63}")
#: Members of DataHub's file that have no meaning here.
_IGNORED: Final = frozenset({"id", "events"})
_SCOPES: Final = frozenset(get_args(Scope))
#: The key of validators among DataHub's plugins; all others are Java.
_RULES, _ENTRY_POINT = "aspectPayloadValidators", "entryPoint"

Words = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class ExtensionContext:
    """The context in which an extension is read: our types and aspects, the schemas beside the file, other packages'
    checks.

    `types` gives the key aspect of each of our types, empty for a type that cannot be extended. `schema` returns
    the document of that name, None if there is none; `check` returns the entry point's check. Both raise
    MetadataError.
    """

    types: Mapping[str, str]
    aspects: Collection[str]
    schema: Callable[[str], Any]
    check: Callable[[str], Check]


@dataclass(slots=True)
class RegistryExtension:
    """The extended model, its validators, the problems of entries that were left out, and warnings about entries
    without effect.
    """

    model: DataHubModel
    validators: tuple[AspectValidator, ...] = ()
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)


def extend_datahub_model(model: DataHubModel, document: Any, context: ExtensionContext) -> RegistryExtension:
    """Return the model extended by this document."""
    extension = RegistryExtension(model)
    if not isinstance(document, Mapping):
        extension.problems.append(Problem("", "must be a mapping of `entities`, `aspects` and `plugins`"))
        return extension
    _ExtensionReader(extension, context).parse_extension(document)
    return extension


@dataclass(slots=True)
class _ExtensionReader:
    extension: RegistryExtension
    context: ExtensionContext
    _place: Words = ()

    def parse_extension(self, document: Mapping[str, Any]) -> None:
        for name in document:
            if name not in ("entities", "aspects", "plugins", *_IGNORED):
                self._add_problem((str(name),), "unknown member")
        for at, entry in self._list_member_objects(document, "aspects"):
            self._parse_aspect_entry(("aspects", at), entry)
        for at, entry in self._list_member_objects(document, "entities"):
            self._parse_entity_entry(("entities", at), entry)
        self._load_validator_plugins(document.get("plugins"))

    def _add_problem(self, words: Words, message: str) -> None:
        self.extension.problems.append(Problem(format_pointer(map(str, words)), message))

    def _list_member_objects(
        self, parent: Mapping[Any, Any], name: str, *prefix: str
    ) -> Iterator[tuple[int, Mapping[str, Any]]]:
        listed = parent.get(name)
        if listed is not None and not isinstance(listed, list):
            self._add_problem((*prefix, name), "must be a list")
            return
        for at, member in enumerate(listed or ()):
            if isinstance(member, Mapping):
                yield at, member
            else:
                self._add_problem((*prefix, name, at), "must be a mapping")

    def _parse_aspect_entry(self, words: Words, entry: Mapping[str, Any]) -> None:
        """Read a new aspect, or another scope for a known one."""
        name, scope = entry.get("name"), entry.get("scope")
        if not self._is_valid_name_or_add_problem(words, name, _ASPECT):
            return
        if unknown := [key for key in entry if key not in ("name", "title", "scope", "schema", "timeseries")]:
            self._add_problem((*words, str(unknown[0])), "unknown member")
        elif scope not in (None, *_SCOPES):
            self._add_problem((*words, "scope"), "must be USER or SYSTEM")
        elif name in self.context.aspects:
            self._add_problem(words, f"the aspect {name} is built in and cannot be changed")
        elif name not in self.extension.model.aspects:
            self._add_aspect_of_schema_file(words, str(name), entry)
        elif {"schema", "title", "timeseries"} & entry.keys():
            self._add_problem(words, f"the aspect {name} is DataHub's: only its scope can be changed")
        elif scope is not None:
            self._store_aspect_spec(replace(self.extension.model.aspects[str(name)], scope=scope))

    def _add_aspect_of_schema_file(self, words: Words, name: str, entry: Mapping[str, Any]) -> bool:
        """Add an aspect by the schema beside the file; return whether it was added."""
        file = entry.get("schema", f"{name}.json")
        try:
            document = self.context.schema(file) if isinstance(file, str) else None
        except MetadataError as error:
            self._add_problem(words, error.detail)
            return False
        if document is None:
            self._add_problem(
                words, f"unknown aspect {name}: schema {quote_and_truncate_text(str(file))} not found beside the file"
            )
            return False
        timeseries = entry.get("timeseries", False)
        wrong = [
            Problem(problem.pointer, problem.message)
            for problem in find_untrusted_schema_problems(document, SchemaDialect.DRAFT_2020_12)
        ]
        if not wrong and (document.get("type") != "object" or not isinstance(timeseries, bool)):
            wrong = [
                Problem("", "the schema of an aspect must describe an object, and timeseries must be true or false")
            ]
        if not wrong and timeseries and "timestampMillis" not in document.get("required", ()):
            wrong = [Problem("/required", "a timeseries aspect must require the member timestampMillis")]
        for first in wrong[:1]:
            self._add_problem(
                words, f"{quote_and_truncate_text(str(file))} at {first.pointer or 'the top'}: {first.message}"
            )
        if not wrong:
            scope = entry.get("scope") or get_default_scope(name)
            title = str(entry.get("title") or document.get("title") or split_camel_case(name))
            spec = AspectSpec(name, title, scope, key=False, schema=Schema(document), timeseries=timeseries)
            if not timeseries:
                spec = replace(
                    spec, contributes=find_contributions_of_schema(document), editable_by_default=scope == "USER"
                )
            self._store_aspect_spec(spec)
        return not wrong

    def _store_aspect_spec(self, spec: AspectSpec) -> None:
        model = self.extension.model
        self.extension.model = replace(model, aspects={**model.aspects, spec.name: spec})

    def _is_valid_name_or_add_problem(self, words: Words, name: Any, grammar: re.Pattern[str]) -> bool:
        if isinstance(name, str) and grammar.fullmatch(name):
            return True
        self._add_problem(
            (*words, "name"), "must be a name of ASCII letters" + (" and digits" if grammar is _ASPECT else "")
        )
        return False

    def _parse_entity_entry(self, words: Words, entry: Mapping[str, Any]) -> None:
        """Read a new entity type, or more aspects for a known one."""
        name = entry.get("name")
        if not self._is_valid_name_or_add_problem(words, name, _TYPE):
            return
        existing = self.extension.model.entities.get(str(name))
        key = existing.key_aspect if existing else self.context.types.get(str(name))
        if key == "":
            self._add_problem(words, f"the type {name} is built in and cannot be changed")
            return
        if key is None:
            key = self._add_key_aspect(words, entry.get("keyAspect"))
            if key is None:
                return
        elif entry.get("keyAspect", key) != key:
            self._add_problem((*words, "keyAspect"), f"the key aspect of a {name} is {key}")
            return
        before = existing or DataHubEntityType(key, (), str(entry.get("category", "")), str(entry.get("doc", "")))
        more = [*before.aspects, *self._list_known_aspect_names(words, entry)]
        model = self.extension.model
        entity = replace(before, aspects=tuple(dict.fromkeys(aspect for aspect in more if aspect != key)))
        self.extension.model = replace(model, entities={**model.entities, str(name): entity})

    def _list_known_aspect_names(self, words: Words, entry: Mapping[str, Any]) -> Iterator[str]:
        named = entry.get("aspects")
        if named is not None and not isinstance(named, list):
            self._add_problem((*words, "aspects"), "must be a list")
            return
        for at, item in enumerate(named or ()):
            if not isinstance(item, str) or not _ASPECT.fullmatch(item):
                self._add_problem((*words, "aspects", at), "must be a name of ASCII letters and digits")
            elif item not in self.context.aspects and self._is_known_or_added_aspect((*words, "aspects", at), item):
                yield item

    def _is_known_or_added_aspect(self, words: Words, aspect: str) -> bool:
        return aspect in self.extension.model.aspects or self._add_aspect_of_schema_file(words, aspect, {})

    def _add_key_aspect(self, words: Words, name: Any) -> str | None:
        """Add the key aspect of a new type: its schema names the parts of the URN, in order."""
        place = (*words, "keyAspect")
        if not isinstance(name, str) or not _ASPECT.fullmatch(name):
            self._add_problem(place, "a new entity type needs a key aspect whose schema names the parts of its URN")
            return None
        if name in self.context.aspects or any(
            name == entity.key_aspect for entity in self.extension.model.entities.values()
        ):
            self._add_problem(place, f"the key aspect {name} belongs to another entity type")
            return None
        if not self._is_known_or_added_aspect(place, name):
            return None
        spec = self.extension.model.aspects[name]
        named, required = spec.schema.document.get("properties", {}), spec.schema.document.get("required", ())
        texts = all(isinstance(part, Mapping) and part.get("type") == "string" for part in named.values())
        if not named or not texts or set(named) != set(required):
            self._add_problem(
                place, f"the properties of the schema of {name}, the parts of the URN, must be required strings"
            )
            return None
        self._store_aspect_spec(replace(spec, key=True))
        model = self.extension.model
        self.extension.model = replace(model, keys={**model.keys, name: tuple(named)})
        return name

    def _load_validator_plugins(self, plugins: Any) -> None:
        if plugins is None:
            return
        if not isinstance(plugins, Mapping):
            self._add_problem(("plugins",), "must be a mapping")
            return
        for name in plugins:
            for at, plugin in self._list_member_objects(plugins, name, "plugins"):
                words = ("plugins", str(name), at)
                if name == _RULES and _ENTRY_POINT in plugin:
                    self._load_validator(words, plugin)
                else:
                    what = quote_and_truncate_text(str(plugin.get("className", name)))
                    self.extension.warnings.append(
                        Problem(
                            format_pointer(map(str, words)),
                            f"{what} is a Java class and is not run: only Python validators are supported",
                        )
                    )

    def _load_validator(self, words: Words, entry: Mapping[str, Any]) -> None:
        if entry.get("enabled", True) is not True:
            return
        name, operations = entry[_ENTRY_POINT], entry.get("supportedOperations", [])
        places = entry.get("supportedEntityAspectNames", [{}])
        if not isinstance(operations, list) or not all(operation in OPERATIONS for operation in operations):
            self._add_problem((*words, "supportedOperations"), f"must be a list of {', '.join(OPERATIONS)}")
        elif not isinstance(places, list) or not all(isinstance(place, Mapping) for place in places):
            self._add_problem(
                (*words, "supportedEntityAspectNames"), "must be a list of mappings of entityName and aspectName"
            )
        else:
            pairs = tuple((str(place.get("entityName", ANY)), str(place.get("aspectName", ANY))) for place in places)
            try:
                rule = AspectValidator(str(name), self.context.check(str(name)), frozenset(operations), pairs)
            except MetadataError as error:
                self._add_problem((*words, _ENTRY_POINT), error.detail)
            else:
                self.extension.validators = (*self.extension.validators, rule)
