"""JSON Schema: the one function that validates, with a retriever that refuses (spec SEC-7)."""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

from jupyter_colophon.core.documents.json_parsing import compact
from jupyter_colophon.core.documents.validation_cost import has_alternatives, is_little
from jupyter_colophon.core.errors import InvalidInstance, Problem

if TYPE_CHECKING:
    import jsonschema_rs

#: The most problems reported for one document.
MAX_PROBLEMS = 100
#: The message if finding more problems would take too long.
TOO_MUCH = Problem("", "is not valid, and too large or too deep for its schema to say where")


class Dialect(Enum):
    """Which JSON Schema it is: ours are of 2020-12, those of schemaspaces of draft-07 (spec SEC-7)."""

    DRAFT_7 = "Draft7Validator"
    DRAFT_2020_12 = "Draft202012Validator"


class Schema:
    """A schema, compiled at its first use and kept. It may refer to the `known` ones, by their `$id`.

    Its own `$schema` is not looked at: `core/documents/untrusted_schema.py` refuses strangers' of another dialect.
    """

    def __init__(
        self,
        document: Mapping[str, Any] | Callable[[], Mapping[str, Any]],
        known: Mapping[str, Mapping[str, Any]] | None = None,
        dialect: Dialect = Dialect.DRAFT_2020_12,
    ) -> None:
        self._given = document
        self._known = known or {}
        self._dialect = dialect

    @cached_property
    def document(self) -> Mapping[str, Any]:
        """The schema itself; one that was given as a function is made at its first use."""
        return self._given() if callable(self._given) else self._given

    def compiled(self) -> "Schema":
        """Compile the schema now. Raises ValueError if it is invalid or has expressions that are not linear."""
        _ = self._validator
        return self

    def is_valid(self, value: Any) -> bool:
        """Whether a value satisfies it; much quicker than asking for problems."""
        return bool(self._validator.is_valid(value))

    @cached_property
    def _validator(self) -> "jsonschema_rs.Draft202012Validator | jsonschema_rs.Draft7Validator":
        # Loaded with the first validation: nobody should wait for it at the start of a server.
        import jsonschema_rs

        registry = jsonschema_rs.Registry([(uri, dict(one)) for uri, one in self._known.items()], retriever=_refuse)
        make = getattr(jsonschema_rs, self._dialect.value)
        validator: jsonschema_rs.Draft202012Validator | jsonschema_rs.Draft7Validator = make(
            {name: part for name, part in self.document.items() if name != "$schema"},
            registry=registry,
            retriever=_refuse,
            validate_formats=True,
            pattern_options=jsonschema_rs.RegexOptions(),
            # User metadata is in no message: it may be a secret (spec SEC-12).
            mask="the value",
        )
        return validator

    def problems(self, value: Any) -> tuple[Problem, ...]:
        """Everything that is wrong with a value, each with a JSON Pointer into it; of what would take too long, one."""
        if self.is_valid(value):
            return ()
        if not is_little(value, self.document):
            return (self._first(value),)
        found = []
        for error in self._validator.iter_errors(value):
            found.append(_problem(error))
            if len(found) == MAX_PROBLEMS:
                break
        return tuple(found)

    def _first(self, value: Any) -> Problem:
        """One thing that is wrong with what is not valid; alternatives would tell all that speaks against each."""
        if has_alternatives(self.document):
            return TOO_MUCH
        try:
            self._validator.validate(value)
        except ValueError as error:
            return _problem(cast("jsonschema_rs.ValidationError", error))
        return TOO_MUCH

    def validate(self, value: Any, subject: str) -> None:
        """Raise InvalidInstance with all problems, or do nothing."""
        if problems := self.problems(value):
            raise InvalidInstance(subject, problems)


def _refuse(uri: str) -> NoReturn:
    raise ValueError("references to other documents are not followed")


#: The most alternatives that a message lists.
_FEW: Final = 20
#: The grammar of tags and keys (spec MODEL-7), and the message for a violation.
_WORD: Final = "^[A-Za-z0-9_-]{1,50}$"
_NO_WORD: Final = "only the letters A to Z and a to z, digits, _ and - are taken, 1 to 50 of them"


def _problem(error: "jsonschema_rs.ValidationError") -> Problem:
    """Where it is, and the validator's own words, cut, without the value. What is wrong with a member's name is shown at the member."""
    path, kind, text = list(error.instance_path), cast("Any", error.kind), str(error.message)
    if type(kind).__name__.endswith("PropertyNames"):
        path.append(str(kind.error.instance))
        kind = kind.error.kind
    if getattr(kind, "pattern", "") == _WORD:
        text = _NO_WORD
    elif type(kind).__name__.endswith("Enum") and len(kind.options) <= _FEW:
        # The validator names two of them.
        text = f"the value is not one of {', '.join(map(compact, kind.options))}"
    return Problem(_pointer(path), text if len(text) <= 300 else text[:300] + "…")


def _pointer(path: list[str | int]) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)
