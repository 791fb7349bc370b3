"""`import`: read instances from files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jupyter_colophon.cli.instances.client import BULK_TIMEOUT_S
from jupyter_colophon.cli.instances.errors import InstanceCommandError
from jupyter_colophon.cli.instances.option import Option, create_flag_option
from jupyter_colophon.cli.instances.output import format_instance_count, log, print_escaped_line, print_table
from jupyter_colophon.cli.instances.space_command import FixedOptionsCommand
from jupyter_colophon.client.caller import Document
from jupyter_colophon.core.documents import json_parsing
from jupyter_colophon.core.documents.pointer import format_pointer
from jupyter_colophon.core.errors import InstanceExists, MetadataError
from jupyter_colophon.service.instances.masking import find_mask_paths

_MEMBERS = ("schema_name", "display_name", "metadata")
_SUCCESSES = ("created", "updated", "unchanged")
#: Without --overwrite, an existing name is a conflict even if the content is the same (spec INST-12).
_SUCCESSES_WITHOUT_OVERWRITE = ("created",)
#: Maximum number of differences that are listed.
_DIFFERENCES_MAX = 5


class ImportInstances(FixedOptionsCommand):
    """Import instances from files, one file per instance. A file that fails does not affect others."""

    name = "import"
    description = "Import metadata instances into a given schemaspace."
    about = "Import metadata instances into schemaspace '{space}'."
    example = "--directory=./exported/{space} --dry-run"
    takes_deprecated = False
    declared = (
        Option(
            "directory",
            "The local file system path from where the metadata will be imported",
            is_required=True,
        ),
        create_flag_option("overwrite", "Overwrite existing metadata instance with the same name"),
        create_flag_option("dry-run", "Print what would be imported, and change nothing"),
        create_flag_option("json", "Print the result as JSON"),
    )

    def execute(self) -> bool:
        """Import the files. Failures are listed, but the exit code is 1 only for missing secrets (spec INST-12)."""
        directory = Path(self.args.directory)
        overwrite, dry_run = self.args.overwrite, self.args.dry_run
        files = _list_json_files(directory)
        if not files:
            message = f"No instances for import found in the '{directory}' directory"
            self.print_result({"schemaspace": self.space, "imported": [], "failed": []}, message)
            if next((directory / self.space).glob("*.json"), None):
                log.warning("the folder %s contains instances: import from that folder", directory / self.space)
            return True
        failed, documents = _read_documents(files)
        results = self._import_documents(documents, overwrite=overwrite, dry_run=dry_run) if documents else ()
        successes = _SUCCESSES if overwrite else _SUCCESSES_WITHOUT_OVERWRITE
        failures = [result for result in results if result["outcome"] not in successes]
        failed += [(f"{result['name']}.json", self._explain_failure(result)) for result in failures]
        imported = [
            {"name": result["name"], "outcome": result["outcome"]}
            for result in results
            if result["outcome"] in successes
        ]
        missing = _find_missing_secrets(documents, failures)
        if self.json:
            reasons = [{"file": file, "reason": reason} for file, reason in sorted(failed)]
            document = {"schemaspace": self.space, "dry_run": dry_run, "imported": imported, "failed": reasons}
            secrets = [{"file": file, "pointer": pointer} for file, pointer in missing]
            self.print_result(document | ({"missing_secrets": secrets} if secrets else {}))
            return not missing
        print_escaped_line(f"{'Would import' if dry_run else 'Imported'} {format_instance_count(len(imported))}")
        _print_failures(sorted(failed))
        _print_missing_secrets(missing)
        return not missing

    def _import_documents(self, documents: Sequence[Document], *, overwrite: bool, dry_run: bool) -> Sequence[Document]:
        body = {"instances": documents}
        answer = self.client.import_instances(
            self.space, body, dry_run=dry_run, overwrite=overwrite, timeout_s=BULK_TIMEOUT_S
        )
        results: list[Document] = answer["results"]
        return results

    def _explain_failure(self, result: Document) -> str:
        if result["outcome"] in ("conflict", "unchanged"):
            detail = f"{InstanceExists(self.space, result['name']).detail} Use '--overwrite' to update."
            return f"{detail}{_format_differences(result)}"
        return str(result["reason"])


def _format_differences(result: Document) -> str:
    """Return the JSON pointers that differ from the existing instance, at most `_DIFFERENCES_MAX`."""
    differences = [problem["pointer"] or problem["message"] for problem in result["problems"]]
    more = f", and {len(differences) - _DIFFERENCES_MAX} more" if len(differences) > _DIFFERENCES_MAX else ""
    return f" (differs: {', '.join(differences[:_DIFFERENCES_MAX])}{more})" if differences else ""


def _list_json_files(directory: Path) -> list[Path]:
    try:
        return sorted(path for path in directory.iterdir() if path.name.endswith(".json"))
    except OSError as error:
        reason = f"{error.strerror}: '{error.filename}'"
        raise InstanceCommandError(f"Unable to reach the '{directory}' directory: {reason}") from None


def _read_documents(files: Sequence[Path]) -> tuple[list[tuple[str, str]], list[dict[str, Any]]]:
    """Return unreadable files with reasons, and the documents of the others with their names."""
    failed: list[tuple[str, str]] = []
    documents: list[dict[str, Any]] = []
    for path in files:
        try:
            repeated: list[str] = []
            document = json_parsing.parse_json(path.read_bytes(), repeated_names=repeated)
        except OSError as error:
            failed.append((path.name, error.strerror or str(error)))
            continue
        except MetadataError as error:
            failed.append((path.name, error.detail))
            continue
        if repeated:
            log.warning("%s contains duplicate members (%s); the last value is used", path, ", ".join(repeated))
        missing = _explain_missing_member(document)
        if missing:
            failed.append((path.name, f"{missing} in the import file '{path}'"))
        else:
            members = {key: value for key, value in document.items() if key not in ("resource", "reason")}
            documents.append({**members, "name": path.name.removesuffix(".json")})
    return failed, documents


def _explain_missing_member(document: object) -> str:
    if not isinstance(document, dict):
        return "Could not find an object"
    return next((f"Could not find '{key}' key" for key in _MEMBERS if key not in document), "")


def _print_failures(failed: Sequence[tuple[str, str]]) -> None:
    if failed:
        print_escaped_line(f"{format_instance_count(len(failed))} could not be imported")
        print_escaped_line("\nThe following files could not be imported: ")
        print_table(("File", "Reason"), failed)


def _find_missing_secrets(
    documents: Sequence[Mapping[str, Any]], failures: Sequence[Document]
) -> list[tuple[str, str]]:
    """Return the files that failed for a secret that an export omitted, with the secret's JSON pointer."""
    masked = {document["name"]: {format_pointer(path) for path in find_mask_paths(document)} for document in documents}
    problems = ((result["name"], problem["pointer"]) for result in failures for problem in result["problems"])
    return sorted((f"{name}.json", path) for name, path in problems if path in masked.get(name, ()))


def _print_missing_secrets(missing: Sequence[tuple[str, str]]) -> None:
    if missing:
        print_escaped_line(
            "\nThe following secrets are missing. Export with --include-secrets, or add them to the files:"
        )
        print_table(("File", "Secret"), missing)
