"""`export`: write instances to files."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jupyter_colophon.cli.instances.client import BULK_TIMEOUT_S
from jupyter_colophon.cli.instances.errors import InstanceCommandError
from jupyter_colophon.cli.instances.option import Option, create_flag_option
from jupyter_colophon.cli.instances.output import format_instance_count, log
from jupyter_colophon.cli.instances.space_command import FixedOptionsCommand
from jupyter_colophon.client.caller import Document
from jupyter_colophon.service.instances.masking import find_mask_paths


class ExportInstances(FixedOptionsCommand):
    """Write instances to files, one file per instance, in a folder named after the schemaspace."""

    name = "export"
    description = "Export metadata instances in a given schemaspace."
    about = "Export installed metadata in schemaspace '{space}'."
    example = "--directory=./exported"
    declared = (
        Option(
            "directory",
            "The local file system path where the exported metadata will be stored",
            is_required=True,
        ),
        Option("schema_name", "The schema name of the metadata instances to export"),
        create_flag_option(
            "include-invalid", "Export valid and invalid instances. By default only valid instances are exported."
        ),
        create_flag_option("include-secrets", "Export secrets in clear text, in files that only their owner can read"),
        create_flag_option("clean", "Clear out contents of the export directory"),
        create_flag_option("json", "Print the result as JSON"),
    )

    def execute(self) -> bool:
        """Export the instances."""
        directory, schema = self.args.directory, self.args.schema_name or ""
        invalid, secrets, clean = self.args.include_invalid, self.args.include_secrets, self.args.clean
        self._refuse_unknown_schema(schema)
        instances = {
            instance["name"]: instance for instance in self.client.list_all_instances(self.space, schema or None)
        }
        choice = {"includeInvalid": invalid, "includeSecrets": secrets} | ({"schema": schema} if schema else {})
        documents = self.client.export_instances(self.space, choice, timeout_s=BULK_TIMEOUT_S)["instances"]
        folder = Path(directory) / self.space
        of_schema = f" and schema '{schema}'" if schema else ""
        if not documents:
            document = {"schemaspace": self.space, "directory": str(folder), "exported": [], "invalid": []}
            message = f"No metadata instances found for schemaspace '{self.space}'{of_schema}"
            self.print_result(document, message, f"Nothing exported to '{directory}'")
            return True
        lines = [
            *_create_or_clean_folder(folder, clean=clean),
            self._describe_export(of_schema, folder, invalid=invalid),
        ]
        names = [_write_instance(folder, document, instances, secrets=secrets) for document in documents]
        invalid_names = [name for name in names if name in instances and instances[name]["reason"]]
        if invalid:
            self._warn_unreadable(instances, names)
        if masked := sum(next(find_mask_paths(document), None) is not None for document in documents):
            log.warning(
                "%s exported without secrets; use --include-secrets to include them", format_instance_count(masked)
            )
        lines.append(
            f"Exported {format_instance_count(len(names))} ({len(invalid_names)} of which {'is' if len(invalid_names) == 1 else 'are'} invalid)"
        )
        document = {"schemaspace": self.space, "directory": str(folder), "exported": names, "invalid": invalid_names}
        self.print_result(document, *lines)
        return True

    def _describe_export(self, of_schema: str, folder: Path, *, invalid: bool) -> str:
        scope = "includes invalid" if invalid else "valid only"
        return f"Exporting metadata instances for schemaspace '{self.space}'{of_schema} ({scope}) to '{folder}'"

    def _warn_unreadable(self, instances: Mapping[str, Document], exported: Sequence[str]) -> None:
        for name in sorted(instances.keys() - set(exported)):
            log.warning("instance '%s' of %s is unreadable and was not exported", name, self.space)

    def _refuse_unknown_schema(self, schema: str) -> None:
        names = sorted(self.client.read_schemas(self.space))
        if schema and schema not in names:
            raise InstanceCommandError(
                f"Schema name '{schema}' is invalid. For the '{self.space}' schemaspace, the schema name must be one of {names}"
            )


def _create_or_clean_folder(folder: Path, *, clean: bool) -> Sequence[str]:
    """Create the folder, or delete its files if `clean`; return messages."""
    if not folder.exists():
        try:
            folder.mkdir(parents=True)
        except OSError as error:
            raise InstanceCommandError(
                f"Error creating directory structure for '{folder}': {error.strerror}: '{error.filename}'"
            ) from None
        return [f"Creating directory structure for '{folder}'"]
    files = [path for path in folder.iterdir() if path.is_file() or path.is_symlink()] if clean else []
    for path in files:
        path.unlink()
    return [f"Cleaning out all files in '{folder}'"] if files else []


def _write_instance(folder: Path, document: dict[str, Any], instances: Mapping[str, Document], *, secrets: bool) -> str:
    """Write an instance as Elyra does, with its name and resource; return the name."""
    name = str(document["name"])
    if Path(name).name != name:
        raise InstanceCommandError(f"'{name}' is not a valid file name")
    if name in instances:
        document["resource"] = instances[name]["resource"]
        if instances[name]["reason"]:
            document["reason"] = instances[name]["reason"]
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    file = os.open(folder / f"{name}.json", flags, 0o600 if secrets else 0o666)
    with os.fdopen(file, "w", encoding="utf-8") as stream:
        if secrets:
            os.fchmod(file, 0o600)
        json.dump(document, stream, indent=4)
    return name
