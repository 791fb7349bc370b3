"""`export`."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jupyter_colophon.cli.instances.client import BULK_TIMEOUT_S
from jupyter_colophon.cli.instances.errors import Refusal
from jupyter_colophon.cli.instances.option import Option, flag
from jupyter_colophon.cli.instances.output import count, log
from jupyter_colophon.cli.instances.space_command import SpaceCommand
from jupyter_colophon.client.caller import Document
from jupyter_colophon.service.instances.masking import masks_in


class Export(SpaceCommand):
    """Writes instances to files, one each, in a folder of the schemaspace's name."""

    description = "Export metadata instances in a given schemaspace."
    about = "Export installed metadata in schemaspace '{space}'."
    declared = (
        Option(
            "directory",
            "The local file system path where the exported metadata will be stored",
            is_required=True,
        ),
        Option("schema_name", "The schema name of the metadata instances to export"),
        flag("include-invalid", "Export valid and invalid instances. By default only valid instances are exported."),
        flag("include-secrets", "Export secrets in clear text, in files that only their owner may read"),
        flag("clean", "Clear out contents of the export directory"),
        flag("json", "Answer in JSON"),
    )

    def work(self) -> bool:
        """Export them."""
        directory, schema = self.args.directory, self.args.schema_name or ""
        invalid, secrets, clean = self.args.include_invalid, self.args.include_secrets, self.args.clean
        self._refuse_unknown(schema)
        there = {one["name"]: one for one in self.client.instances(self.space, schema or None)}
        choice = {"includeInvalid": invalid, "includeSecrets": secrets} | ({"schema": schema} if schema else {})
        documents = self.client.export_instances(self.space, choice, timeout_s=BULK_TIMEOUT_S)["instances"]
        folder, of_schema = Path(directory) / self.space, f" and schema '{schema}'" if schema else ""
        if not documents:
            document = {"schemaspace": self.space, "directory": str(folder), "exported": [], "invalid": []}
            none = f"No metadata instances found for schemaspace '{self.space}'{of_schema}"
            self.tell(document, none, f"Nothing exported to '{directory}'")
            return True
        lines = [*_made(folder, clean=clean), self._said(of_schema, folder, invalid=invalid)]
        names = [_write(folder, document, there, secrets=secrets) for document in documents]
        wrong = [name for name in names if name in there and there[name]["reason"]]
        if invalid:
            self._warn(there, names)
        if bare := sum(next(masks_in(one), None) is not None for one in documents):
            log.warning("%s written without secrets: --include-secrets writes them", count(bare))
        lines.append(
            f"Exported {count(len(names))} ({len(wrong)} of which {'is' if len(wrong) == 1 else 'are'} invalid)"
        )
        document = {"schemaspace": self.space, "directory": str(folder), "exported": names, "invalid": wrong}
        self.tell(document, *lines)
        return True

    def _said(self, of_schema: str, folder: Path, *, invalid: bool) -> str:
        which = "includes invalid" if invalid else "valid only"
        return f"Exporting metadata instances for schemaspace '{self.space}'{of_schema} ({which}) to '{folder}'"

    def _warn(self, there: Mapping[str, Document], exported: Sequence[str]) -> None:
        for name in sorted(there.keys() - set(exported)):
            log.warning("instance '%s' of %s cannot be read, and was not exported", name, self.space)

    def _refuse_unknown(self, schema: str) -> None:
        names = sorted(self.client.schemas(self.space))
        if schema and schema not in names:
            raise Refusal(
                f"Schema name '{schema}' is invalid. For the '{self.space}' schemaspace, the schema name must be one of {names}"
            )


def _made(folder: Path, *, clean: bool) -> Sequence[str]:
    """Make the folder, or empty it of files; returns what to say of it."""
    if not folder.exists():
        try:
            folder.mkdir(parents=True)
        except OSError as error:
            raise Refusal(
                f"Error creating directory structure for '{folder}': {error.strerror}: '{error.filename}'"
            ) from None
        return [f"Creating directory structure for '{folder}'"]
    files = [path for path in folder.iterdir() if path.is_file() or path.is_symlink()] if clean else []
    for path in files:
        path.unlink()
    return [f"Cleaning out all files in '{folder}'"] if files else []


def _write(folder: Path, document: dict[str, Any], there: Mapping[str, Document], *, secrets: bool) -> str:
    """Write one instance as Elyra does, with its name and where it was; returns the name."""
    name = str(document["name"])
    if Path(name).name != name:
        raise Refusal(f"'{name}' cannot be the name of a file")
    if name in there:
        document["resource"] = there[name]["resource"]
        if there[name]["reason"]:
            document["reason"] = there[name]["reason"]
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    file = os.open(folder / f"{name}.json", flags, 0o600 if secrets else 0o666)
    with os.fdopen(file, "w", encoding="utf-8") as stream:
        if secrets:
            os.fchmod(file, 0o600)
        json.dump(document, stream, indent=4)
    return name
