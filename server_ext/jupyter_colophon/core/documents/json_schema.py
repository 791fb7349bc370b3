"""Validate JSON with JSON Schema, without resolving external references (spec SEC-7)."""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.documents.pointer import format_pointer
from jupyter_colophon.core.documents.validation_cost import has_alternative_schemas, is_cheap_to_validate
from jupyter_colophon.core.errors import InvalidInstance, Problem

if TYPE_CHECKING:
    import jsonschema_rs

#: The most problems reported for one document.
MAX_PROBLEMS = 100
#: The message if finding more problems would take too long.
TOO_MUCH = Problem("", "is not valid, and too large or too deep to list its problems")


class SchemaDialect(Enum):
    """The version of JSON Schema: ours is 2020-12, that of schemaspaces draft-07 (spec SEC-7)."""

    DRAFT_7 = "Draft7Validator"
    DRAFT_2020_12 = "Draft202012Validator"


class Schema:
    """A schema, compiled at its first use.

    It may refer to the `known_schemas` by their `$id`. Its own `$schema` is ignored:
    `core/documents/untrusted_schema.py` rejects untrusted schemas of other dialects.
    """

    def __init__(
        self,
        document: Mapping[str, Any] | Callable[[], Mapping[str, Any]],
        known_schemas: Mapping[str, Mapping[str, Any]] | None = None,
        dialect: SchemaDialect = SchemaDialect.DRAFT_2020_12,
    ) -> None:
        self._given = document
        self._known = known_schemas or {}
        self._dialect = dialect

    @cached_property
    def document(self) -> Mapping[str, Any]:
        """Return the document; a document given as a function is loaded at its first use."""
        return self._given() if callable(self._given) else self._given

    def compile_now(self) -> "Schema":
        """Compile the schema now. Raises ValueError if it is invalid or has expressions that are not linear."""
        _ = self._validator
        return self

    def is_valid(self, value: Any) -> bool:
        """Return whether a value is valid; much faster than collecting problems."""
        return bool(self._validator.is_valid(value))

    @cached_property
    def _validator(self) -> "jsonschema_rs.Draft202012Validator | jsonschema_rs.Draft7Validator":
        # Imported with the first validation, which shortens the start of a server.
        import jsonschema_rs

        registry = jsonschema_rs.Registry(
            [(uri, dict(document)) for uri, document in self._known.items()], retriever=_refuse_remote_reference
        )
        make = getattr(jsonschema_rs, self._dialect.value)
        validator: jsonschema_rs.Draft202012Validator | jsonschema_rs.Draft7Validator = make(
            {name: part for name, part in self.document.items() if name != "$schema"},
            registry=registry,
            retriever=_refuse_remote_reference,
            validate_formats=True,
            pattern_options=jsonschema_rs.RegexOptions(),
            # Messages contain no user metadata: they may be secrets (spec SEC-12).
            mask="the value",
        )
        return validator

    def find_all_problems(self, value: Any) -> tuple[Problem, ...]:
        """Return all problems of a value, each with a JSON Pointer; only one if collecting them would take too long."""
        if self.is_valid(value):
            return ()
        if not is_cheap_to_validate(value, self.document):
            return (self._find_first_problem(value),)
        problems = []
        for error in self._validator.iter_errors(value):
            problems.append(_build_problem_of_validator_error(error))
            if len(problems) == MAX_PROBLEMS:
                break
        return tuple(problems)

    def _find_first_problem(self, value: Any) -> Problem:
        """Return one problem of an invalid value; collecting the problems of all alternatives would take too long."""
        if has_alternative_schemas(self.document):
            return TOO_MUCH
        try:
            self._validator.validate(value)
        except ValueError as error:
            return _build_problem_of_validator_error(cast("jsonschema_rs.ValidationError", error))
        return TOO_MUCH

    def require_valid(self, value: Any, subject: str) -> None:
        """Raise InvalidInstance with all problems if the value is invalid."""
        if problems := self.find_all_problems(value):
            raise InvalidInstance(subject, problems)


def _refuse_remote_reference(uri: str) -> NoReturn:
    raise ValueError("references to other documents are not supported")


#: The most alternatives that a message lists.
_FEW: Final = 20
#: Patterns of our schemas, and the messages for their violation: tags and keys (spec MODEL-7), and durations.
_PATTERN_MESSAGES: Final = {
    "^[A-Za-z0-9_-]{1,50}$": "must have 1 to 50 characters: letters A-Z and a-z, digits, _ and -",
    "^P(?:[0-9]{1,6}W|(?:[0-9]{1,6}D)?(?:T(?:[0-9]{1,6}H)?(?:[0-9]{1,6}M)?(?:[0-9]{1,6}S)?)?)$": (
        "must be a duration such as P7D, P1DT12H or PT30M"
    ),
}


def _build_problem_of_validator_error(error: "jsonschema_rs.ValidationError") -> Problem:
    """Return the location and the validator's message, truncated and without the value.

    A problem with a member's name is reported at the member.
    """
    path, kind, text = list(error.instance_path), cast("Any", error.kind), str(error.message)
    if type(kind).__name__.endswith("PropertyNames"):
        path.append(str(kind.error.instance))
        kind = kind.error.kind
    if (pattern := getattr(kind, "pattern", "")) in _PATTERN_MESSAGES:
        text = _PATTERN_MESSAGES[pattern]
    elif members := _list_alternative_members(kind):
        text = f"at least one of {', '.join(map(encode_canonical_json, members))} is required"
    elif type(kind).__name__.endswith("Enum") and len(kind.options) <= _FEW:
        # The validator reports two of them.
        text = f"the value is not one of {', '.join(map(encode_canonical_json, kind.options))}"
    return Problem(format_pointer(map(str, path)), text if len(text) <= 300 else text[:300] + "…")


def _list_alternative_members(kind: Any) -> list[str]:
    """Return the members of which `anyOf` requires at least one, if it requires nothing else."""
    alternatives = kind.context if type(kind).__name__.endswith("AnyOf") else []
    causes = [error.kind for alternative in alternatives for error in alternative]
    is_required = all(type(cause).__name__.endswith("Required") for cause in causes)
    return [cause.property for cause in causes] if is_required and len(causes) == len(alternatives) else []
