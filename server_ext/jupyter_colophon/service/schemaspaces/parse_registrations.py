"""Making Spaces and schemas of what packages registered; each step may fail, with a reason."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from jupyter_colophon.core.documents.json_schema import Dialect, Schema
from jupyter_colophon.core.documents.untrusted_schema import refusals
from jupyter_colophon.core.errors import SchemaRejected
from jupyter_colophon.core.package_data import schemas_dir
from jupyter_colophon.service.schemaspaces.instance_validator import Checker, ForeignChecker, SchemaChecker
from jupyter_colophon.service.schemaspaces.registrations import STORED, Registration
from jupyter_colophon.service.schemaspaces.space import Space

#: The schemaspace that is there for tests alone (spec INST-14).
TEST_SPACE = "metadata-tests"
#: Where providers' `get_validator` is nobody's own.
_USUAL_VALIDATORS = {"elyra.metadata.schema", "jupyter_colophon.schemaspaces.schema"}
#: What a provider can do, whatever it inherits.
_PROVIDES = ("get_schemas", "migrate", "get_validator")
_NAME = re.compile(r"[A-Za-z][0-9A-Za-z_-]*[0-9A-Za-z]")
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Offer:
    """A schema that a provider offers, ready to be taken in. `space` is the name as the schema has it, in small letters."""

    space: str
    space_id: str
    name: str
    document: Mapping[str, Any]
    provider: Any
    registration: Registration

    @property
    def is_stored(self) -> bool:
        """Whether an administrator stored it, and no package brought it."""
        return self.registration.key[:2] == (STORED.name, STORED.value)


def testing() -> bool:
    """Whether the schemaspace for tests is there."""
    return bool(os.environ.get("METADATA_TESTING"))


def space_of(registration: Registration, parent: Any) -> Space:
    """The Space of an entry point. Raises whatever its class raises; ValueError for what is no schemaspace."""
    made = registration.load()
    made = made(parent=parent) if callable(made) else made
    name, identity = getattr(made, "name", None), getattr(made, "id", None)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(
            f"'{registration.name}' is not an instance of 'Schemaspace': it has no name of letters, digits, - and _"
        )
    if not isinstance(identity, str) or not _ID.fullmatch(identity):
        raise ValueError("its id is no UUID")
    return Space(
        name=name,
        id=identity,
        display_name=str(getattr(made, "display_name", "") or name),
        description=str(getattr(made, "description", "") or ""),
        deprecated=bool(getattr(made, "is_deprecated", False)),
        object=made,
    )


def provider_of(registration: Registration) -> Any:
    """The provider of an entry point. Raises whatever it raises; ValueError for what provides no schemas."""
    made = registration.load()
    made = made() if isinstance(made, type) or not hasattr(made, "get_schemas") else made
    missing = [name for name in _PROVIDES if not callable(getattr(made, name, None))]
    if missing:
        raise ValueError(
            f"SchemasProvider instance '{registration.name}' is not an instance of 'SchemasProvider'! "
            f"It has no {', '.join(missing)}"
        )
    return made


def offered(document: Any, provider: Any, registration: Registration) -> Offer:
    """A provider's schema as JSON of our own, which nobody changes behind our back. Raises ValueError for what is none."""
    if not isinstance(document, Mapping):
        raise ValueError("it is no object")
    try:
        own = json.loads(json.dumps(document, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        raise ValueError("it is no JSON document") from None
    space, identity, name = own.get("schemaspace"), own.get("schemaspace_id"), own.get("name")
    if not (isinstance(space, str) and isinstance(identity, str) and isinstance(name, str)):
        raise ValueError("it says not of which schemaspace it is, by schemaspace and schemaspace_id, or not its name")
    return Offer(space.lower(), identity.lower(), name, own, provider, registration)


def filtered(offer: Offer, space: Space) -> Mapping[str, Any]:
    """The schema as its schemaspace wants it. Raises SchemaRejected, ValueError, and whatever its filter raises."""
    change = getattr(space.object, "filter_schema", None)
    document = change(json.loads(json.dumps(offer.document))) if callable(change) else offer.document
    require_schema(document)
    if document["name"] != offer.name:
        raise ValueError("its schemaspace gave it another name")
    result: Mapping[str, Any] = document
    return result


def require_schema(document: Any) -> None:
    """Raise SchemaRejected with every reason why a document cannot be a schema of a schemaspace."""
    problems = _meta_schema().problems(document) if isinstance(document, Mapping) else ()
    if problems := (*problems, *refusals(document)):
        raise SchemaRejected("the schema", problems)


def checker_of(document: Mapping[str, Any], provider: Any) -> Checker:
    """How documents are held against a schema: by its provider's own validator where it has one."""
    make = getattr(provider, "get_validator", None)
    if callable(make) and getattr(make, "__module__", None) not in _USUAL_VALIDATORS:
        return ForeignChecker(document, make(json.loads(json.dumps(document))))
    return SchemaChecker(document)


@cache
def _meta_schema() -> Schema:
    text = (schemas_dir() / "meta-schema.json").read_text("utf-8")
    return Schema(json.loads(text), dialect=Dialect.DRAFT_7)
