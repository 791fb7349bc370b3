"""Upload, list and read artifacts of namespaces (docs/how-to/share-plugins.md)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.artifacts.artifact import (
    ARTIFACT_BYTES_MAX,
    Artifact,
    ArtifactKey,
)
from jupyter_colophon.core.documents.json_schema import SchemaDialect
from jupyter_colophon.core.documents.untrusted_schema import find_untrusted_schema_problems
from jupyter_colophon.core.entities.registration_request import RegistrationRequest
from jupyter_colophon.core.errors import AlreadyExists, InvalidInstance, Problem, StoreUnavailable, TooLarge
from jupyter_colophon.core.model.proposal import Proposal, ProposalResult
from jupyter_colophon.service.artifact_reader import ArtifactReader
from jupyter_colophon.service.entities.registration import EntityRegistrar
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage import artifacts as rows
from jupyter_colophon.storage.spi import TableContext
from jupyter_colophon.wrangling.plugin_parameters import find_directive_problems

if TYPE_CHECKING:
    from jupyter_colophon.core.artifacts.inspection import Inspection

_DESCRIPTION_MAX: Final = 1_000


@dataclass(frozen=True, slots=True)
class ArtifactService(ArtifactReader):
    """The artifacts of a catalog. An artifact is code, so uploading one needs the right to run pipelines."""

    write_path: WritePath
    registrar: EntityRegistrar
    now: Callable[[], int]

    def upload(self, key: ArtifactKey, content: bytes, principal: Principal) -> tuple[Artifact, bool]:
        """Store an artifact, and return whether it is new; the content of a version never changes.

        Raises NotFound, AccessDenied, TooLarge, AlreadyExists for other content of this version, and InvalidInstance for
        content that is neither a pure wheel nor a module with plugins.
        """
        for permission in ("admin", "emit"):
            self.write_path.require_may_act_on_entity(principal, permission, key.urn)
        if len(content) > ARTIFACT_BYTES_MAX:
            raise TooLarge(f"an artifact may have at most {ARTIFACT_BYTES_MAX} bytes")
        digest = rows.compute_digest(content)
        existing = self.provider.tx_runner.run(lambda tx: self._find_unchanged(tx, key, digest), read_only=True)
        if existing is not None:
            return self.read(key, principal), False
        inspection = _inspect(key, content)
        artifact = Artifact(
            key.namespace,
            key.name,
            key.version,
            str(key.urn),
            inspection.kind,
            digest,
            len(content),
            self.now(),
            inspection.plugins,
        )

        def write(tx: TableContext, apply: Callable[[], list[ProposalResult]]) -> list[ProposalResult]:
            self._find_unchanged(tx, key, digest)
            if results := apply():
                rows.write_artifact(tx, artifact, content)
                self._record_in_audit(tx, key, principal)
            # Without results, the entity waits for review, and nothing is stored.
            return results

        self.registrar.create_or_update_entity(key.urn, _build_facts(artifact, inspection), principal, write)
        return replace(artifact, created_by=principal.user), True

    def delete(self, key: ArtifactKey, principal: Principal) -> None:
        """Delete an artifact. Raises NotFound, AccessDenied."""
        self.read(key, principal)
        self.write_path.apply_proposals_atomically([Proposal(key.urn, None, "delete")], principal)

    def _find_unchanged(self, tx: TableContext, key: ArtifactKey, digest: str) -> Artifact | None:
        """Return the artifact of this version; None if there is none. Raises AlreadyExists if its content differs."""
        existing = rows.find_artifact(tx, key)
        if existing is not None and existing.sha256 != digest:
            raise AlreadyExists(
                "artifact", f"{key.namespace}/{key.name}/{key.version}, with other content: upload another version"
            )
        return existing

    def _record_in_audit(self, tx: TableContext, key: ArtifactKey, principal: Principal) -> None:
        audit = self.write_path.access_control.audit
        if audit is not None:
            audit.record_act(tx, str(key.urn), principal, "upload artifact")


def _inspect(key: ArtifactKey, content: bytes) -> "Inspection":
    """Return what the artifact declares. Raises InvalidInstance, StoreUnavailable."""
    from jupyter_colophon.core.artifacts.inspection_process import inspect_artifact_in_process

    try:
        inspection = inspect_artifact_in_process(key, content)
    except OSError as error:
        raise StoreUnavailable(f"no process could be started to inspect the artifact: {error.strerror}") from error
    problems = [Problem("", message) for message in inspection.problems]
    for plugin in inspection.plugins:
        problems += [
            Problem("", f"{plugin.value}: properties{problem.pointer}: {problem.message}")
            for problem in find_untrusted_schema_problems(plugin.schema, SchemaDialect.DRAFT_2020_12)
        ]
        if (plugin.use, plugin.type) == ("application", "directive"):
            problems += [
                Problem("", f"{plugin.value}: {message}")
                for message in find_directive_problems(plugin.name, plugin.schema)
            ]
    if problems:
        raise InvalidInstance("the artifact", tuple(problems))
    return inspection


def _build_facts(artifact: Artifact, inspection: "Inspection") -> RegistrationRequest:
    facts = {"kind": artifact.kind, "sha256": artifact.sha256}
    if inspection.description:
        facts["description"] = inspection.description[:_DESCRIPTION_MAX]
    facts |= {f"plugin:{plugin.name}": f"{plugin.name}:{plugin.type}" for plugin in artifact.plugins}
    return RegistrationRequest(facts=facts)
