"""`import`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jupyter_colophon.cli.instances.client import BULK_TIMEOUT_S
from jupyter_colophon.cli.instances.errors import Refusal
from jupyter_colophon.cli.instances.option import Option, flag
from jupyter_colophon.cli.instances.output import count, log, say, table
from jupyter_colophon.cli.instances.space_command import SpaceCommand
from jupyter_colophon.client.caller import Document
from jupyter_colophon.core.documents import json_parsing
from jupyter_colophon.core.errors import InstanceExists, MetadataError
from jupyter_colophon.service.instances.masking import masks_in, pointer

_MEMBERS = ("schema_name", "display_name", "metadata")
_GOOD = ("created", "updated", "unchanged")
#: Without --overwrite a name that is there is a conflict, also where the content is the same (spec INST-12).
_NEW = ("created",)
#: How many of the places that differ are listed.
_PLACES = 5


class Import(SpaceCommand):
    """Reads instances from files, one each; one that cannot be taken in harms no other."""

    description = "Import metadata instances into a given schemaspace."
    about = "Import metadata instances into schemaspace '{space}'."
    takes_deprecated = False
    declared = (
        Option(
            "directory",
            "The local file system path from where the metadata will be imported",
            is_required=True,
        ),
        flag("overwrite", "Overwrite existing metadata instance with the same name"),
        flag("dry-run", "Show what would be imported, and change nothing"),
        flag("json", "Answer in JSON"),
    )

    def work(self) -> bool:
        """Import them. Refused instances are listed in a table, with exit code 0 (spec INST-12); missing secrets end with 1."""
        directory = Path(self.args.directory)
        overwrite, dry_run = self.args.overwrite, self.args.dry_run
        files = _files(directory)
        if not files:
            none = f"No instances for import found in the '{directory}' directory"
            self.tell({"schemaspace": self.space, "imported": [], "failed": []}, none)
            if next((directory / self.space).glob("*.json"), None):
                log.warning("there are some in %s", directory / self.space)
            return True
        failed, documents = _read(files)
        done = self._import(documents, overwrite=overwrite, dry_run=dry_run) if documents else ()
        good = _GOOD if overwrite else _NEW
        refused = [one for one in done if one["outcome"] not in good]
        failed += [(f"{one['name']}.json", self._reason(one)) for one in refused]
        imported = [{"name": one["name"], "outcome": one["outcome"]} for one in done if one["outcome"] in good]
        missing = _missing_secrets(documents, refused)
        if self.json:
            failures = [{"file": file, "reason": reason} for file, reason in sorted(failed)]
            document = {"schemaspace": self.space, "dry_run": dry_run, "imported": imported, "failed": failures}
            secrets = [{"file": file, "pointer": pointer} for file, pointer in missing]
            self.tell(document | ({"missing_secrets": secrets} if secrets else {}))
            return not missing
        say(f"{'Would import' if dry_run else 'Imported'} {count(len(imported))}")
        _tell_failed(sorted(failed))
        _list_missing_secrets(missing)
        return not missing

    def _import(self, documents: Sequence[Document], *, overwrite: bool, dry_run: bool) -> Sequence[Document]:
        body = {"instances": documents}
        done = self.client.import_instances(
            self.space, body, dry_run=dry_run, overwrite=overwrite, timeout_s=BULK_TIMEOUT_S
        )
        results: list[Document] = done["results"]
        return results

    def _reason(self, result: Document) -> str:
        if result["outcome"] in ("conflict", "unchanged"):
            detail = f"{InstanceExists(self.space, result['name']).detail} Use '--overwrite' to update."
            return f"{detail}{_where(result)}"
        return str(result["reason"])


def _where(result: Document) -> str:
    """The places that differ from what is there; of many the first few."""
    places = [one["pointer"] or one["message"] for one in result["problems"]]
    more = f", and {len(places) - _PLACES} more" if len(places) > _PLACES else ""
    return f" (differs: {', '.join(places[:_PLACES])}{more})" if places else ""


def _files(directory: Path) -> list[Path]:
    try:
        return sorted(path for path in directory.iterdir() if path.name.endswith(".json"))
    except OSError as error:
        reason = f"{error.strerror}: '{error.filename}'"
        raise Refusal(f"Unable to reach the '{directory}' directory: {reason}") from None


def _read(files: Sequence[Path]) -> tuple[list[tuple[str, str]], list[dict[str, Any]]]:
    """What cannot be read, with the reason, and the documents, each with its name."""
    failed: list[tuple[str, str]] = []
    documents: list[dict[str, Any]] = []
    for path in files:
        try:
            repeated: list[str] = []
            document = json_parsing.parse(path.read_bytes(), repeated=repeated)
        except OSError as error:
            failed.append((path.name, error.strerror or str(error)))
            continue
        except MetadataError as error:
            failed.append((path.name, error.detail))
            continue
        if repeated:
            log.warning("%s has the same member twice (%s): the last one counts", path, ", ".join(repeated))
        missing = _missing(document)
        if missing:
            failed.append((path.name, f"{missing} in the import file '{path}'"))
        else:
            members = {key: value for key, value in document.items() if key not in ("resource", "reason")}
            documents.append({**members, "name": path.name.removesuffix(".json")})
    return failed, documents


def _missing(document: object) -> str:
    if not isinstance(document, dict):
        return "Could not find an object"
    return next((f"Could not find '{key}' key" for key in _MEMBERS if key not in document), "")


def _tell_failed(failed: Sequence[tuple[str, str]]) -> None:
    if failed:
        say(f"{count(len(failed))} could not be imported")
        say("\nThe following files could not be imported: ")
        table(("File", "Reason"), failed)


def _missing_secrets(documents: Sequence[Mapping[str, Any]], refused: Sequence[Document]) -> list[tuple[str, str]]:
    """Return the files that were refused for a secret that an export left out, each with the secret's pointer."""
    masked = {document["name"]: {pointer(words) for words in masks_in(document)} for document in documents}
    found = ((one["name"], problem["pointer"]) for one in refused for problem in one["problems"])
    return sorted((f"{name}.json", place) for name, place in found if place in masked.get(name, ()))


def _list_missing_secrets(missing: Sequence[tuple[str, str]]) -> None:
    if missing:
        say("\nThe following secrets are missing: export with --include-secrets, or write them into the files.")
        table(("File", "Secret"), missing)
