"""`create` and `update`: their options are those of the schema."""

from collections.abc import Mapping, Sequence
from typing import Any

from jupyter_colophon.cli.instances.bulk import FILE, JSON, Bulk, bulk_of
from jupyter_colophon.cli.instances.client import InstanceClient, edit, patch, record
from jupyter_colophon.cli.instances.errors import HelpAsked, Refusal, problems_of, sentence
from jupyter_colophon.cli.instances.option import Option
from jupyter_colophon.cli.instances.output import answer, log, say
from jupyter_colophon.cli.instances.schema_options import composed_note, document_keys, metadata_keys, options_of
from jupyter_colophon.cli.instances.space_command import SpaceCommand, refuse_unexpected
from jupyter_colophon.cli.instances.values import value_of
from jupyter_colophon.client.caller import Document
from jupyter_colophon.client.problems import ClientError, RequestFailed

_UNREADABLE = "urn:jupyter-colophon:problem:unreadable-instance"


class Create(SpaceCommand):
    """Makes an instance of what the options say."""

    description = "Create a metadata instance in a given schemaspace."
    about = "Create a metadata instance in schemaspace '{space}'."
    takes_deprecated = False
    declared = (
        FILE,
        JSON,
        Option("schema_name", "The schema_name of the metadata instance (defaults to the only one)"),
        Option("name", "The name of the metadata instance."),
        Option("output", "How to answer", choices=("text", "json")),
    )
    creates = True

    def __init__(self, client: InstanceClient, space: str) -> None:
        super().__init__(client, space)
        self.schemas = client.schemas(space)
        self.name: str | None = None
        self._own = [self._schema_option() if one.name == "schema_name" else one for one in self.declared]
        self.options = self._own

    def run(self, words: Sequence[str]) -> bool:
        """Parse the options, then save. Help lists the schema's options as soon as it is known which schema is meant."""
        self.parse(words)
        self.json = "json" in (self.args.output or "").lower()
        wants_help = self.args.help
        bulk = None if wants_help else bulk_of(self.args.file, self.args.json)
        if not wants_help:
            self.name = self._name(bulk)
        schema_name = self._schema_name(bulk, asked=wants_help)
        schema = self.schemas.get(schema_name, {})
        self.options = [*self._own, *options_of(schema, creates=self.creates, whole=self.creates and bulk is None)]
        if wants_help:
            raise HelpAsked
        unexpected = self.parse(words)
        document = self._document(schema_name, schema, bulk)
        refuse_unexpected(unexpected)
        try:
            saved = self.save(document)
        except ClientError as error:
            raise _failed(schema_name, error) from error
        except OSError as error:
            raise Refusal(_FAILED.format(schema=schema_name, reason=error.strerror or error)) from error
        if self.json:
            answer(record(saved))
            return True
        say(
            f"Metadata instance '{saved['name']}' for schema '{saved['schema_name']}' has been written to: "
            f"{saved['resource']}"
        )
        return True

    def save(self, document: dict[str, Any]) -> Document:
        """Make the instance."""
        if not document.get("display_name"):
            raise Refusal(f"Could not determine display_name from schema '{document['schema_name']}'")
        return self.client.create_instance(self.space, edit(document) | ({"name": self.name} if self.name else {}))

    def help(self) -> None:
        """As for every command, with a word about what options cannot say."""
        super().help()
        composed_note(self.options, say)

    def _schema_option(self) -> Option:
        names = tuple(self.schemas)
        if len(names) == 1:
            usual = f"The schema_name of the metadata instance (defaults to '{names[0]}')"
            return Option("schema_name", usual, has_default=True)
        description = f"The schema_name of the metadata instance. Must be one of: {list(names)}"
        return Option("schema_name", description, choices=names, is_required=True)

    def _name(self, bulk: Bulk | None) -> str | None:
        return self.args.name or (bulk.word("name") if bulk else None)

    def _schema_name(self, bulk: Bulk | None, *, asked: bool) -> str:
        given = self.args.schema_name
        if given == "":
            raise Refusal("Parameter '--schema_name' requires a value.", shows_help=True)
        name = given or (bulk.word("schema_name") if bulk else None) or self.usual_schema()
        if asked:
            return name or ""
        names = list(self.schemas)
        if name is None:
            choices = f" and must be one of the following values: {names}"
            raise Refusal(f"'--schema_name' is a required parameter{choices}.", shows_help=True)
        if name not in names:
            choices = f"requires one of the following values: {names}"
            raise Refusal(f"Parameter '--schema_name' {choices}", shows_help=True)
        return name

    def usual_schema(self) -> str | None:
        """The schema where none is named."""
        return next(iter(self.schemas)) if len(self.schemas) == 1 else None

    def _document(self, schema_name: str, schema: Mapping[str, Any], bulk: Bulk | None) -> dict[str, Any]:
        metadata = bulk.metadata(metadata_keys(schema)) if bulk else {}
        document: dict[str, Any] = {"display_name": None, **(bulk.beside(document_keys(schema)) if bulk else {})}
        if bulk and bulk.word("display_name"):
            document["display_name"] = bulk.word("display_name")
        for option in self.options[len(self._own) :]:
            text = getattr(self.args, option.name)
            if text is None:
                self._require(option, document)
                continue
            if option.is_required and not text:
                raise Refusal(f"Parameter '--{option.name}' requires a value.", shows_help=True)
            (document if option.target == "document" else metadata)[option.name] = value_of(option, text)
        return {**document, "schema_name": schema_name, "metadata": metadata}

    def _require(self, option: Option, document: Mapping[str, Any]) -> None:
        is_there = option.has_default or (option.target == "document" and document.get(option.name) is not None)
        if not option.is_required or is_there:
            return
        choices = f" and must be one of the following values: {list(option.choices)}" if option.choices else ""
        raise Refusal(f"'--{option.name}' is a required parameter{choices}.", shows_help=True)


class Update(Create):
    """Changes what the options say, and leaves the rest as it is."""

    description = "Update a metadata instance in a given schemaspace."
    about = "Update a metadata instance in schemaspace '{space}'."
    creates = False

    def save(self, document: dict[str, Any]) -> Document:
        """Set what the options say; an instance that cannot be read is replaced."""
        if not self.name:
            raise Refusal(
                _FAILED.format(schema=document["schema_name"], reason="The 'name' parameter requires a value.")
            )
        current = self.client.read_instance(self.space, self.name)
        if not document["display_name"]:
            # An invalid instance may have none, and is shown with another.
            del document["display_name"]
            if not current["valid"]:
                document["display_name"] = current["display_name"]
        try:
            return self.client.patch_instance(
                self.space, self.name, patch(document), content_type="application/json-patch+json"
            )
        except RequestFailed as failure:
            if failure.problem.get("type") != _UNREADABLE:
                raise
        document.setdefault("display_name", current["display_name"])
        return self.client.write_instance(self.space, self.name, edit(document))

    def _name(self, bulk: Bulk | None) -> str | None:
        """Return the name; a document of `--json` without a display name may have it as a member."""
        return super()._name(bulk) or (bulk.member("name") if bulk else None)

    def usual_schema(self) -> str | None:
        """The instance's own, where it is known."""
        only = super().usual_schema()
        return only if only or not self.name else str(self.client.read_instance(self.space, self.name)["schema_name"])


_FAILED = "The following exception occurred saving metadata instance for schema '{schema}': {reason}"


def _failed(schema: str, error: ClientError) -> Refusal:
    # As Elyra logs what cannot be saved, besides telling it.
    log.error("%s", sentence(error))
    for problem in problems_of(error)[1:]:
        log.error("%s: %s", problem["pointer"] or "/", problem["message"])
    return Refusal(_FAILED.format(schema=schema, reason=sentence(error)))
