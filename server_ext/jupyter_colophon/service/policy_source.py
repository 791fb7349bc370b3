"""The access policies of a catalog: those that are stored in it, and those of a folder of files.

A change takes effect in every process within a second: a decision that finds the policies older than `FRESH_S` reads
one number of the change log, and the policies only if it has changed.
"""

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as WaitTimeoutError
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.documents.json_schema import Schema
from jupyter_colophon.core.errors import InvalidInstance, MetadataError, Problem, StoreUnavailable
from jupyter_colophon.core.package_data import load_schema_documents
from jupyter_colophon.core.policies.policy import EVERYONE, OWNER, POLICY_ASPECT, POLICY_TYPE, Rule, parse_policy
from jupyter_colophon.core.policies.review import ReviewRules, select_review_rules
from jupyter_colophon.core.policies.rights import AccessRights
from jupyter_colophon.service.policy_files import PolicyFolder, describe_first_problem

# Not imported at run time: the command line lists instances in files without a store.
if TYPE_CHECKING:
    from jupyter_colophon.storage.spi import StorageProvider, TableContext

T = TypeVar("T")
#: For how long policies are used without asking whether they have changed, in seconds.
FRESH_S: Final = 0.25
#: How long a decision waits for changed policies before it uses the last ones, in seconds.
_WAIT_S: Final = 5.0
#: The namespace of stored policies.
_NAMESPACE: Final = "system"
_POLICIES_MAX: Final = 1_000
#: For how many users and groups the rights are kept.
_CACHED_MAX: Final = 1_000
_logger = logging.getLogger("jupyter_colophon.policy")


@dataclass(slots=True)
class PolicyVersion:
    """The rules of all policies at one time: those that grant or deny, and those that require review."""

    rules: tuple[Rule, ...] = ()
    reviews: tuple[Rule, ...] = ()
    #: Whether policies decide: what no rule grants is denied then.
    in_force: bool = False
    #: A sentence for each policy that cannot be used, by its name.
    problems: Mapping[str, str] = field(default_factory=dict)
    #: The positions of rules, by the users and groups that they are for.
    _positions: defaultdict[str, list[int]] = field(init=False, default_factory=lambda: defaultdict(list))
    _rights: dict[tuple[str, frozenset[str]], AccessRights] = field(default_factory=dict)
    _review_rules: dict[tuple[str, frozenset[str]], ReviewRules] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Index the rules, of which most concern few users."""
        for position, rule in enumerate(self.rules):
            for actor in dict.fromkeys(rule.to):
                self._positions[actor].append(position)

    def find_compiled_rights(self, user: str, groups: frozenset[str]) -> AccessRights | None:
        """Return the rights of a user with these groups, None if they are not compiled yet."""
        return self._rights.get((user, groups))

    def compile_rights(self, user: str, groups: frozenset[str]) -> AccessRights:
        """Compile the rights of a user with these groups, and keep them."""
        if len(self._rights) >= _CACHED_MAX:
            self._rights.clear()
        actors = (EVERYONE, OWNER, f"user:{user}", *(f"group:{group}" for group in groups))
        positions = {position for actor in actors for position in self._positions.get(actor, ())}
        rules = [self.rules[position] for position in sorted(positions)]
        rights = self._rights[user, groups] = AccessRights(rules, user, groups)
        return rights

    def select_review_rules(self, user: str, groups: frozenset[str]) -> ReviewRules | None:
        """Return the rules that require review of a user with these groups, None if there are none."""
        if not self.reviews:
            return None
        if len(self._review_rules) >= _CACHED_MAX:
            self._review_rules.clear()
        if (user, groups) not in self._review_rules:
            self._review_rules[user, groups] = select_review_rules(self.reviews, user, groups)
        return self._review_rules[user, groups]


@dataclass(slots=True)
class PolicySource:
    """Reads the policies, and reads them again when they have changed.

    A policy that cannot be read keeps the rules of its last usable state. If it never could, nothing is granted to anyone
    but admins: its denials are unknown.
    """

    folder: PolicyFolder | None = None
    #: Whether policies are in force even if there are none, since the settings name admins or a folder.
    required: bool = False
    _provider: "StorageProvider | None" = None
    #: The newest change when the stored policies were read; None if they must be read again.
    _seen: int | None = None
    _stored: dict[str, tuple[Rule, ...]] = field(default_factory=dict)
    _stored_problems: dict[str, str] = field(default_factory=dict)
    _version: PolicyVersion = field(default_factory=PolicyVersion)
    _fresh_until: float = 0.0
    _has_read: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _refreshing: threading.Lock = field(default_factory=threading.Lock)
    _reader: ThreadPoolExecutor | None = None
    _reading: Future[None] | None = None

    def attach_store(self, provider: "StorageProvider") -> None:
        """Read the policies of this store from now on. Raises StorageError."""
        with self._lock:
            self._provider, self._seen, self._fresh_until = provider, None, 0.0
            self._refresh()

    def detach_store(self, provider: "StorageProvider") -> None:
        """Read this store no more."""
        with self._lock:
            if self._provider is not provider:
                return
            self._provider = None
            if self._reader is not None:
                self._reader.shutdown(wait=False)
                self._reader = None

    def run_in_store(self, read: "Callable[[TableContext], T]") -> T | None:
        """Return what a function reads in the store; None without a store."""
        provider = self._provider
        return None if provider is None else provider.tx_runner.run(read, read_only=True)

    def mark_stale(self) -> None:
        """Make the next decision ask whether policies have changed, since this process has changed one."""
        self._fresh_until = 0.0

    def get_version(self) -> PolicyVersion:
        """Return the policies in force. Raises StoreUnavailable if they have never been read."""
        if time.monotonic() < self._fresh_until:
            return self._version
        # The caller may be inside a transaction: another thread reads.
        with self._lock:
            if time.monotonic() >= self._fresh_until:
                if self._reader is None:
                    self._reader = ThreadPoolExecutor(1, "colophon-policies")
                if self._reading is None or self._reading.done():
                    self._reading = self._reader.submit(self._refresh)
                self._wait_for(self._reading)
                self._fresh_until = time.monotonic() + FRESH_S
            return self._version

    def _wait_for(self, reading: Future[None]) -> None:
        try:
            reading.result(_WAIT_S)
        except (MetadataError, WaitTimeoutError, OSError) as error:
            if not self._has_read:
                raise StoreUnavailable("the access policies cannot be read: try again later") from error
            _logger.warning(
                "the access policies cannot be read (%s): the last ones stay in force", type(error).__name__
            )

    def _refresh(self) -> None:
        """Read what has changed."""
        with self._refreshing:
            has_changed, provider = not self._has_read, self._provider
            if self.folder is not None:
                has_changed = self.folder.read_changed_files() or has_changed
            if provider is not None:
                has_changed = provider.tx_runner.run(self._read_stored_policies, read_only=True) or has_changed
            if has_changed:
                self._version = self._combine_policies()
                self._has_read = True

    def _read_stored_policies(self, tx: "TableContext") -> bool:
        newest = tx.log.get_newest_number()
        if newest == self._seen:
            return False
        stored: dict[str, tuple[Rule, ...]] = {}
        problems: dict[str, str] = {}
        for urn, document in read_stored_policies(tx).items():
            try:
                stored[urn] = parse_policy(urn, document, load_policy_schema())
            except MetadataError as error:
                problems[urn] = describe_first_problem(error)
                if urn in self._stored:
                    stored[urn] = self._stored[urn]
        has_changed = (stored, problems) != (self._stored, self._stored_problems) or self._seen is None
        self._stored, self._stored_problems, self._seen = stored, problems, newest
        return has_changed

    def _combine_policies(self) -> PolicyVersion:
        parts: list[dict[str, tuple[Rule, ...]]] = [self._stored]
        problems = dict(self._stored_problems)
        if self.folder is not None:
            parts.append(self.folder.policies)
            problems |= self.folder.problems
        known = {name: rules for part in parts for name, rules in part.items()}
        is_unknown = any(name not in self._stored for name in self._stored_problems) or (
            self.folder is not None and self.folder.has_unknown_policy()
        )
        for name, problem in problems.items():
            _logger.error("the access policy %s cannot be used: %s", name, problem)
        all_rules = () if is_unknown else tuple(rule for rules in known.values() for rule in rules)
        return PolicyVersion(
            tuple(rule for rule in all_rules if not rule.reviews),
            tuple(rule for rule in all_rules if rule.reviews),
            in_force=self.required or bool(known or problems),
            problems=problems,
        )


def read_stored_policies(tx: "TableContext") -> dict[str, Any]:
    """Return the documents of the stored policies by their URNs, in the order of these."""
    from jupyter_colophon.storage.entities import aspects

    urns = aspects.list_entity_urns(tx, _NAMESPACE, POLICY_TYPE, "", None, _POLICIES_MAX)
    rows = tx.get_table("aspects").read_many([(urn, POLICY_ASPECT) for urn in urns])
    values = {row["urn"]: row["value"] for row in rows}
    return {urn: parse_stored_json(values[urn]) for urn in sorted(values) if values[urn] is not None}


def find_policy_problems(document: Any) -> tuple[Problem, ...]:
    """Return why a document cannot be used as a policy; empty if it can."""
    try:
        parse_policy("the policy", document, load_policy_schema())
    except InvalidInstance as error:
        return error.problems
    return ()


@cache
def load_policy_schema() -> Schema:
    """Return the schema of policies."""
    document: Any = load_schema_documents("aspects")[POLICY_ASPECT]
    return Schema(document)
