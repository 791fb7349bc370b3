"""Create Space and SchemaOffer objects from registrations; each step may raise, with a reason."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from jupyter_colophon.core.documents.json_schema import Schema, SchemaDialect
from jupyter_colophon.core.documents.untrusted_schema import find_untrusted_schema_problems
from jupyter_colophon.core.errors import SchemaRejected
from jupyter_colophon.core.package_data import find_schemas_dir
from jupyter_colophon.service.schemaspaces.instance_validator import (
    InstanceValidator,
    SchemaValidator,
    ThirdPartyValidator,
)
from jupyter_colophon.service.schemaspaces.registrations import STORED, PackageRegistration
from jupyter_colophon.service.schemaspaces.space import LoadedSchemaspace

#: The schemaspace that exists for tests only (spec INST-14).
TEST_SPACE = "metadata-tests"
#: The modules whose `get_validator` is the default one.
_DEFAULT_VALIDATOR_MODULES = {"elyra.metadata.schema", "jupyter_colophon.schemaspaces.schema"}
#: The methods of a provider, whatever its base class.
_PROVIDER_METHODS = ("get_schemas", "migrate", "get_validator")
_NAME = re.compile(r"[A-Za-z][0-9A-Za-z_-]*[0-9A-Za-z]")
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OfferedSchema:
    """A schema that a provider offers. `space` is the schemaspace's name in the schema, in lower case."""

    space: str
    space_id: str
    name: str
    document: Mapping[str, Any]
    provider: Any
    registration: PackageRegistration

    @property
    def is_stored(self) -> bool:
        """Whether an administrator stored the schema, so that it is from no package."""
        return self.registration.key[:2] == (STORED.name, STORED.value)


def is_test_schemaspace_enabled() -> bool:
    """Return whether the schemaspace for tests is enabled."""
    return bool(os.environ.get("METADATA_TESTING"))


def load_schemaspace_of_entry_point(registration: PackageRegistration, parent: Any) -> LoadedSchemaspace:
    """Return the Space of an entry point. Raises ValueError for an invalid schemaspace, and whatever its class raises."""
    loaded = registration.load()
    loaded = loaded(parent=parent) if callable(loaded) else loaded
    name, identity = getattr(loaded, "name", None), getattr(loaded, "id", None)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(
            f"'{registration.name}' is not an instance of 'Schemaspace': its name must consist of letters, digits, - and _"
        )
    if not isinstance(identity, str) or not _ID.fullmatch(identity):
        raise ValueError("its id is not a UUID")
    return LoadedSchemaspace(
        name=name,
        id=identity,
        display_name=str(getattr(loaded, "display_name", "") or name),
        description=str(getattr(loaded, "description", "") or ""),
        deprecated=bool(getattr(loaded, "is_deprecated", False)),
        object=loaded,
    )


def load_provider_of_entry_point(registration: PackageRegistration) -> Any:
    """Return the provider of an entry point. Raises ValueError for an invalid provider, and whatever its class raises."""
    loaded = registration.load()
    loaded = loaded() if isinstance(loaded, type) or not hasattr(loaded, "get_schemas") else loaded
    missing = [name for name in _PROVIDER_METHODS if not callable(getattr(loaded, name, None))]
    if missing:
        raise ValueError(
            f"SchemasProvider instance '{registration.name}' is not an instance of 'SchemasProvider'! "
            f"It has no {', '.join(missing)}"
        )
    return loaded


def parse_and_copy_schema(document: Any, provider: Any, registration: PackageRegistration) -> OfferedSchema:
    """Return a provider's schema as a copy that nobody else can change. Raises ValueError for an invalid one."""
    if not isinstance(document, Mapping):
        raise ValueError("not a JSON object")
    try:
        own = json.loads(json.dumps(document, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        raise ValueError("not a JSON document") from None
    space, identity, name = own.get("schemaspace"), own.get("schemaspace_id"), own.get("name")
    if not (isinstance(space, str) and isinstance(identity, str) and isinstance(name, str)):
        raise ValueError("schemaspace, schemaspace_id and name are required, each a string")
    return OfferedSchema(space.lower(), identity.lower(), name, own, provider, registration)


def apply_schemaspace_filter(offer: OfferedSchema, space: LoadedSchemaspace) -> Mapping[str, Any]:
    """Return the schema after its schemaspace's filter. Raises SchemaRejected, ValueError, and whatever the filter raises."""
    change = getattr(space.object, "filter_schema", None)
    document = change(json.loads(json.dumps(offer.document))) if callable(change) else offer.document
    require_valid_schema(document)
    if document["name"] != offer.name:
        raise ValueError("filter_schema of the schemaspace must not change the name of the schema")
    result: Mapping[str, Any] = document
    return result


def require_valid_schema(document: Any) -> None:
    """Raise SchemaRejected, with every problem, unless a document is a valid schema of a schemaspace."""
    problems = _load_meta_schema().find_all_problems(document) if isinstance(document, Mapping) else ()
    if problems := (*problems, *find_untrusted_schema_problems(document)):
        raise SchemaRejected("the schema", problems)


def create_instance_validator(document: Mapping[str, Any], provider: Any) -> InstanceValidator:
    """Return the validator of a schema: its provider's own if it has one."""
    make = getattr(provider, "get_validator", None)
    if callable(make) and getattr(make, "__module__", None) not in _DEFAULT_VALIDATOR_MODULES:
        return ThirdPartyValidator(document, make(json.loads(json.dumps(document))))
    return SchemaValidator(document)


@cache
def _load_meta_schema() -> Schema:
    text = (find_schemas_dir() / "meta-schema.json").read_text("utf-8")
    return Schema(json.loads(text), dialect=SchemaDialect.DRAFT_7)
