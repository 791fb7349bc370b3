"""What a proposal finds: the version of its aspect, and whether it exists in the sense of DataHub's CREATE."""

from jupyter_colophon.core.model.proposal import ABSENT, Proposal
from jupyter_colophon.storage.commit.commit import CommitBuilder


def get_version_and_existence(commit: CommitBuilder, proposal: Proposal) -> tuple[int, bool]:
    """Return the current version, and whether the entity or aspect exists explicitly."""
    aspect = proposal.aspect or commit.registry.get_type(proposal.urn.type).key_aspect
    version, _ = commit.get_aspect_version(proposal.urn, aspect)
    if proposal.operation == "create-entity":
        return version, commit.has_existed_before(proposal.urn)
    return version, version != ABSENT and not commit.is_created_implicitly(proposal.urn, aspect)


def may_create_over_platform_value(commit: CommitBuilder, proposal: Proposal) -> bool:
    """Return whether an aspect was written by the platform alone, so that CREATE is not a conflict.

    DataHub clients create an entity by its key, whether or not the platform recorded it before; for our own clients an
    existing entity is a conflict.
    """
    if proposal.operation == "create-entity" or (proposal.aspect is None and not proposal.united):
        return False
    aspect = proposal.aspect or commit.registry.get_type(proposal.urn.type).key_aspect
    return commit.is_written_by_platform_only(proposal.urn, aspect)


def get_version_of_condition(commit: CommitBuilder, proposal: Proposal) -> int:
    """Return the present version to which a condition of the proposal refers."""
    aspect = proposal.aspect or commit.registry.get_type(proposal.urn.type).key_aspect
    read = commit.get_version_for_datahub if proposal.united else commit.get_aspect_version
    return read(proposal.urn, aspect)[0]
