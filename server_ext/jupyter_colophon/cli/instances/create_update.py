"""`create` and `update`: their options are the properties of a schema."""

from collections.abc import Mapping, Sequence
from typing import Any

from jupyter_colophon.cli.instances.client import InstanceClient, to_elyra_document, to_instance_edit, to_json_patch
from jupyter_colophon.cli.instances.errors import HelpRequested, InstanceCommandError, format_error, list_problems
from jupyter_colophon.cli.instances.input_document import FILE, JSON, InputDocument, read_input_document
from jupyter_colophon.cli.instances.option import Option
from jupyter_colophon.cli.instances.output import log, print_escaped_line, print_json
from jupyter_colophon.cli.instances.schema_options import (
    create_options,
    list_document_keys,
    list_metadata_keys,
    print_unsupported_note,
)
from jupyter_colophon.cli.instances.space_command import SpaceCommand, require_no_unknown_arguments
from jupyter_colophon.cli.instances.values import parse_option_value
from jupyter_colophon.client.caller import Document
from jupyter_colophon.client.problems import ClientError, RequestFailed

_UNREADABLE = "urn:jupyter-colophon:problem:unreadable-instance"


class CreateInstance(SpaceCommand):
    """Create an instance from the options."""

    name = "create"
    description = "Create a metadata instance in a given schemaspace."
    about = "Create a metadata instance in schemaspace '{space}'."
    example = "--file=instance.json"
    takes_deprecated = False
    declared = (
        FILE,
        JSON,
        Option("schema_name", "The schema_name of the metadata instance (defaults to the only one)"),
        Option("name", "The name of the metadata instance."),
        Option("output", "The format of the result", choices=("text", "json")),
    )
    creates = True

    def __init__(self, client: InstanceClient, space: str) -> None:
        super().__init__(client, space)
        self.schemas = client.read_schemas(space)
        self.instance_name: str | None = None
        self._fixed_options = [
            self._create_schema_option() if option.name == "schema_name" else option for option in self.declared
        ]
        self.options = self._fixed_options

    def run(self, arguments: Sequence[str]) -> bool:
        """Parse the options, and save the instance. Help lists the options of the schema if it is known."""
        self.parse_options(arguments)
        self.json = "json" in (self.args.output or "").lower()
        wants_help = self.args.help
        input_document = None if wants_help else read_input_document(self.args.file, self.args.json)
        if not wants_help:
            self.instance_name = self._find_instance_name(input_document)
        schema_name = self._find_schema_name(input_document, is_help=wants_help)
        schema = self.schemas.get(schema_name, {})
        self.options = [
            *self._fixed_options,
            *create_options(
                schema, document_required=self.creates, metadata_required=self.creates and input_document is None
            ),
        ]
        if wants_help:
            raise HelpRequested
        unexpected = self.parse_options(arguments)
        document = self._build_document(schema_name, schema, input_document)
        require_no_unknown_arguments(unexpected)
        try:
            saved = self.save_and_return(document)
        except ClientError as error:
            raise _log_problems_and_create_error(schema_name, error) from error
        except OSError as error:
            raise InstanceCommandError(_FAILED.format(schema=schema_name, reason=error.strerror or error)) from error
        if self.json:
            print_json(to_elyra_document(saved))
            return True
        print_escaped_line(
            f"Metadata instance '{saved['name']}' for schema '{saved['schema_name']}' has been written to: "
            f"{saved['resource']}"
        )
        return True

    def save_and_return(self, document: dict[str, Any]) -> Document:
        """Create the instance, and return it."""
        if not document.get("display_name"):
            raise InstanceCommandError(f"Could not determine display_name from schema '{document['schema_name']}'")
        return self.client.create_instance(
            self.space, to_instance_edit(document) | ({"name": self.instance_name} if self.instance_name else {})
        )

    def print_help(self) -> None:
        """Print the help, with a note on properties that options do not fully represent."""
        super().print_help()
        print_unsupported_note(self.options, print_escaped_line)

    def _create_schema_option(self) -> Option:
        names = tuple(self.schemas)
        if len(names) == 1:
            default = f"The schema_name of the metadata instance (defaults to '{names[0]}')"
            return Option("schema_name", default, has_default=True)
        description = f"The schema_name of the metadata instance. Must be one of: {list(names)}"
        return Option("schema_name", description, choices=names, is_required=True)

    def _find_instance_name(self, input_document: InputDocument | None) -> str | None:
        return self.args.name or (input_document.get_name("name") if input_document else None)

    def _find_schema_name(self, input_document: InputDocument | None, *, is_help: bool) -> str:
        option = self.args.schema_name
        if option == "":
            raise InstanceCommandError("Parameter '--schema_name' requires a value.", shows_help=True)
        name = (
            option or (input_document.get_name("schema_name") if input_document else None) or self.find_default_schema()
        )
        if is_help:
            return name or ""
        names = list(self.schemas)
        if name is None:
            choices = f" and must be one of the following values: {names}"
            raise InstanceCommandError(f"'--schema_name' is a required parameter{choices}.", shows_help=True)
        if name not in names:
            choices = f"requires one of the following values: {names}"
            raise InstanceCommandError(f"Parameter '--schema_name' {choices}", shows_help=True)
        return name

    def find_default_schema(self) -> str | None:
        """Return the schema if none is given, or None if it is required."""
        return next(iter(self.schemas)) if len(self.schemas) == 1 else None

    def _build_document(
        self, schema_name: str, schema: Mapping[str, Any], input_document: InputDocument | None
    ) -> dict[str, Any]:
        metadata = input_document.get_metadata(list_metadata_keys(schema)) if input_document else {}
        document: dict[str, Any] = {
            "display_name": None,
            **(input_document.get_extra_members(list_document_keys(schema)) if input_document else {}),
        }
        if input_document and input_document.get_name("display_name"):
            document["display_name"] = input_document.get_name("display_name")
        for option in self.options[len(self._fixed_options) :]:
            text = getattr(self.args, option.name)
            if text is None:
                self._require_option_value(option, document)
                continue
            if option.is_required and not text:
                raise InstanceCommandError(f"Parameter '--{option.name}' requires a value.", shows_help=True)
            (document if option.target == "document" else metadata)[option.name] = parse_option_value(option, text)
        return {**document, "schema_name": schema_name, "metadata": metadata}

    def _require_option_value(self, option: Option, document: Mapping[str, Any]) -> None:
        has_value = option.has_default or (option.target == "document" and document.get(option.name) is not None)
        if not option.is_required or has_value:
            return
        choices = f" and must be one of the following values: {list(option.choices)}" if option.choices else ""
        raise InstanceCommandError(f"'--{option.name}' is a required parameter{choices}.", shows_help=True)


class UpdateInstance(CreateInstance):
    """Change the given properties of an instance; others are kept."""

    name = "update"
    description = "Update a metadata instance in a given schemaspace."
    about = "Update a metadata instance in schemaspace '{space}'."
    example = "--name=NAME --display_name='New title'"
    creates = False

    def save_and_return(self, document: dict[str, Any]) -> Document:
        """Set the given properties, and return the instance. An unreadable instance is replaced."""
        if not self.instance_name:
            raise InstanceCommandError(
                _FAILED.format(schema=document["schema_name"], reason="The 'name' parameter requires a value.")
            )
        current = self.client.read_instance(self.space, self.instance_name)
        if not document["display_name"]:
            # An invalid instance may have no display name of its own, but is listed with one.
            del document["display_name"]
            if not current["valid"]:
                document["display_name"] = current["display_name"]
        try:
            return self.client.patch_instance(
                self.space, self.instance_name, to_json_patch(document), content_type="application/json-patch+json"
            )
        except RequestFailed as failure:
            if failure.problem.get("type") != _UNREADABLE:
                raise
        document.setdefault("display_name", current["display_name"])
        return self.client.write_instance(self.space, self.instance_name, to_instance_edit(document))

    def _find_instance_name(self, input_document: InputDocument | None) -> str | None:
        """Return the name; without a display name, it may be a member of the document of `--json`."""
        return super()._find_instance_name(input_document) or (
            input_document.get_nonempty_text("name") if input_document else None
        )

    def find_default_schema(self) -> str | None:
        """Return the schema of the instance."""
        schema = super().find_default_schema()
        if schema or not self.instance_name:
            return schema
        return str(self.client.read_instance(self.space, self.instance_name)["schema_name"])


_FAILED = "The following exception occurred saving metadata instance for schema '{schema}': {reason}"


def _log_problems_and_create_error(schema: str, error: ClientError) -> InstanceCommandError:
    # Elyra also logs the error.
    log.error("%s", format_error(error))
    for problem in list_problems(error)[1:]:
        log.error("%s: %s", problem["pointer"] or "/", problem["message"])
    return InstanceCommandError(_FAILED.format(schema=schema, reason=format_error(error)))
