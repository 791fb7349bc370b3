"""What the platform knows of namespaces, and changes for applications."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from jupyter_colophon.apps.plugins.plugin_details import PluginDetails
from jupyter_colophon.apps.run_details import RunDetails
from jupyter_colophon.apps.secrets import NamespaceSecrets
from jupyter_colophon.apps.tables import require_namespace_urn
from jupyter_colophon.apps.topics import TOPICS, Topic
from jupyter_colophon.apps.transaction_thread import require_no_transaction
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.artifacts.plugin_names import PluginOfArtifact
from jupyter_colophon.core.entities.entity import EntityListing, EntitySummary
from jupyter_colophon.core.errors import NotFound, SecretUnavailable
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import RunUpsert
from jupyter_colophon.core.model.proposal import Proposal, ProposalResult
from jupyter_colophon.service.artifact_reader import ArtifactReader
from jupyter_colophon.service.entities.entities import EntityReader
from jupyter_colophon.service.entities.metadata import MetadataReader
from jupyter_colophon.service.lineage.runs import RunReader
from jupyter_colophon.service.namespace_secrets import NamespaceSecretService
from jupyter_colophon.service.write_path import WritePath

#: How many entities are read at once.
_PAGE = 200


@dataclass(frozen=True, slots=True)
class NamespaceDetails:
    """A namespace. `created_ms` is in milliseconds since 1970."""

    name: str
    description: str
    created_ms: int


@dataclass(frozen=True, slots=True)
class SystemAdmin:
    """Reads and changes the catalog with the rights of a principal: by default those of the platform, which may do
    everything.

    Its methods use transactions of their own; inside `execute` they raise TransactionMisused.
    """

    reader: EntityReader
    metadata: MetadataReader
    principal: Principal
    write_path: WritePath
    _secrets: NamespaceSecretService | None = None

    def namespace_exists(self, name: str) -> bool:
        """Return whether a namespace exists, and is not being deleted."""
        try:
            self.get_namespace(name)
        except NotFound:
            return False
        return True

    def get_namespace(self, name: str) -> NamespaceDetails:
        """Return a namespace. Raises NotFound."""
        require_no_transaction()
        scoped = self.metadata.read_scoped_metadata(require_namespace_urn(name), "", self.principal)
        if scoped.summary is None:
            raise NotFound("Namespace", name)
        return NamespaceDetails(name, scoped.system.properties.get("description", ""), scoped.summary.created.time)

    def list_namespaces(self) -> Iterator[str]:
        """Yield the names of all namespaces, in pages."""
        return (summary.name for summary in self._list_entities(EntityListing(type="namespace", limit=_PAGE)))

    def list_datasets(self, namespace: str) -> Iterator[EntitySummary]:
        """Yield the datasets of a namespace by name, in pages. Raises NotFound for an unknown namespace."""
        self.get_namespace(namespace)
        return self._list_entities(EntityListing(namespace, "dataset", limit=_PAGE))

    def get_run(self, urn: str) -> RunDetails:
        """Return a run as it is now, such as that of a `ProgramStatusChanged`. Raises NotFound."""
        require_no_transaction()
        runs = RunReader(self.reader.provider, self.reader.read_policy, self.reader.cursors)
        return RunDetails.from_run(runs.read_visible_run(urn, self.principal))

    def filter_readable_entities(self, urns: Iterable[str]) -> set[str]:
        """Return the entities that the principal may read, whether they exist or not."""
        require_no_transaction()
        parsed = [Urn.parse(urn) for urn in urns]
        return {str(urn) for urn in self.reader.read_policy.filter_visible_entities(self.principal, parsed)}

    def list_topics(self) -> Sequence[Topic]:
        """Return what can be fetched from each namespace."""
        return TOPICS

    def apply_proposals(self, proposals: Sequence[Proposal]) -> Sequence[ProposalResult]:
        """Create entities and write their metadata, all or nothing, with the rights of the principal and in its name.

        Raises NotFound for a namespace that does not exist, AccessDenied, HeldForReview if a policy requires the review
        of a steward, InvalidInstance for an invalid value, and ConditionFailed.
        """
        require_no_transaction()
        required = [
            replace(proposal, needs="namespace") if proposal.needs == "nothing" else proposal for proposal in proposals
        ]
        return self.write_path.apply_proposals_atomically(required, self.principal)

    def record_run(self, report: RunUpsert) -> RunDetails:
        """Record the start, the progress or the end of a run of a program, with the data that it reads and writes.

        A run that is new begins, and is running unless the report has a status. Program and data must exist
        (`apply_proposals`). Raises NotFound, AccessDenied, and RunConflict for a run that cannot change like this.
        """
        require_no_transaction()
        return RunDetails.from_run(self.write_path.record_complete_run(report, self.principal))

    def get_secrets(self, namespace: str) -> NamespaceSecrets:
        """Return the secrets of a namespace, such as passwords of connections, which are stored outside of the catalog."""
        if self._secrets is None:
            raise SecretUnavailable("this process has no store of secrets")
        return NamespaceSecrets(namespace, self._secrets, self.principal)

    def list_plugins(self, namespace: str, type: str = "") -> list[PluginDetails]:
        """Return the plugins of a namespace for applications, of one type or of all, in their newest versions.

        Raises NotFound for an unknown namespace.
        """
        found = self._artifacts.list_newest_plugins(namespace, "application", self.principal)
        return [PluginDetails.from_artifact(item) for item in found if type in ("", item.plugin.type)]

    def read_plugin_with_content(self, namespace: str, name: str) -> tuple[PluginOfArtifact, bytes]:
        """Return a plugin of a namespace by its name, and the content of its artifact. Raises NotFound."""
        found = self._artifacts.find_plugin(namespace, "application", name, self.principal)
        return found, self._artifacts.read_with_content(found.artifact.key, self.principal)[1]

    @property
    def _artifacts(self) -> ArtifactReader:
        require_no_transaction()
        return ArtifactReader(self.reader.provider, self.reader.read_policy, self.reader.cursors)

    def _list_entities(self, listing: EntityListing) -> Iterator[EntitySummary]:
        require_no_transaction()
        cursor: str | None = ""
        while cursor is not None:
            page, cursor = self.reader.list_visible_entities(replace(listing, cursor=cursor), self.principal)
            yield from page
