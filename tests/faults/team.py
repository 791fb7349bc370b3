"""A team whose programs use the shared service while parts of it are stopped, and what must be true afterwards.

Each member has a service token for a namespace of its own. It writes, sends reports for later, reads and follows its
namespace, and tries to read those of others. Every request is repeated with its idempotency key until it is answered.
"""

import http.client
import json
import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from faults import choice
from jupyter_colophon.client.health import read_health
from jupyter_colophon.client.problems import ClientError
from jupyter_colophon.client.transport import ServerAddress, Transport
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.storage.spi import Range
from support.service import Service

_AGAIN = (429, 503)
_DENIED = (403, 404)
#: How long a member waits before it repeats a request.
_PAUSE_S = 0.2
#: How long the first requests may take, which create the catalog.
_PATIENCE_S = 120.0


class Member(threading.Thread):
    """One program. `findings` has what must not happen."""

    def __init__(self, team: "Team", number: int, token: str) -> None:
        super().__init__(name=f"team{number}", daemon=True)
        self._team, self._token = team, token
        self._chance = random.Random(number)
        self._connection: http.client.HTTPConnection | None = None
        self.written: list[int] = []
        self.reported: list[int] = []
        self.reads = self.attempts = self.refusals = 0
        self.durations: list[float] = []
        self.followed = 0
        self.findings: list[str] = []

    @property
    def table(self) -> str:
        """The dataset that it writes."""
        return build_table_urn(self.name, "orders")

    @property
    def reports(self) -> str:
        """The dataset that its reports describe."""
        return build_table_urn(self.name, "reports")

    def run(self) -> None:
        """Work until the team stops."""
        steps: list[Callable[[], None]] = [self._write, self._report, self._read, self._follow, self._pry]
        try:
            while not self._team.stopped.is_set():
                self._chance.choice(steps)()
                self._team.stopped.wait(self._chance.uniform(0, 2 * self._team.pause_s))
        except BaseException as error:  # noqa: BLE001  a thread's error is the test's
            self.findings.append(f"{self.name}: {type(error).__name__}: {error}")

    def _write(self) -> None:
        number = len(self.written) + 1
        if self._propose(self.table, number, 200):
            self.written.append(number)

    def _report(self) -> None:
        number = len(self.reported) + 1
        if self._propose(self.reports, number, 202):
            self.reported.append(number)

    def _propose(self, urn: str, number: int, expected: int) -> bool:
        """Write a number, repeating the request until it is answered; return whether it was acknowledged."""
        value = {"properties": {"number": str(number), "owner": build_marker(self.name)}, "tags": []}
        body = {"proposals": [{"urn": urn, "aspect": "businessMetadata", "operation": "upsert", "value": value}]}
        path, key = "/proposals" + ("?async=true" if expected == 202 else ""), str(uuid.uuid4())
        status, document = self._send_until_answered("POST", path, body, key)
        if status != expected:
            self.findings.append(f"{self.name}: POST {path}: {status} {document}")
        return status == expected

    def _read(self) -> None:
        # What this thread has acknowledged is there, in whatever process.
        status, document = self._send_until_answered("GET", f"/entities/{quote(self.table, safe='')}/metadata")
        self.reads += 1
        expected = str(self.written[-1]) if self.written else None
        found = document.get("USER", {}).get("properties", {}).get("number") if status == 200 else None
        if found != expected and (status, expected) != (404, None):
            self.findings.append(f"{self.name}: read {status} {found} after {expected} was acknowledged")

    def _follow(self) -> None:
        query = urlencode({"after": self.followed, "limit": 500, "namespace": self.name})
        status, document = self._send_until_answered("GET", f"/changes?{query}")
        if status != 200:
            self.findings.append(f"{self.name}: changes: {status} {document}")
            return
        numbers = [change["seq"] for change in document["changes"]]
        if numbers != sorted(set(numbers)) or (numbers and numbers[0] <= self.followed):
            self.findings.append(f"{self.name}: changes {numbers} after {self.followed}")
        if any(change["namespace"] != self.name for change in document["changes"]):
            self.findings.append(f"{self.name}: received changes of others")
        self.followed = max([self.followed, *numbers])

    def _pry(self) -> None:
        """Try to read what another member has written."""
        other = self._chance.choice([member for member in self._team.members if member is not self] or [self])
        if other is self:
            return
        self.attempts += 1
        urn = quote(other.table, safe="")
        query = urlencode({"q": build_marker(other.name)})
        for path in (
            f"/entities/{urn}/metadata",
            f"/search?{query}",
            f"/lineage?urn={urn}",
            f"/changes?namespace={other.name}",
        ):
            status, document = self._send_until_answered("GET", path)
            # A search returns its query.
            text = json.dumps({name: value for name, value in document.items() if name != "query"})
            is_empty = status == 200 and build_marker(other.name) not in text and f"{other.name}." not in text
            if status not in _DENIED and not is_empty:
                self.findings.append(f"{self.name}: GET {path}: {status} {document}")

    def _send_until_answered(self, method: str, path: str, body: Any = None, key: str = "") -> tuple[int, Any]:
        while True:
            try:
                began = time.monotonic()
                status, document = self._send(method, path, body, key)
                if status not in _AGAIN:
                    self.durations.append(time.monotonic() - began)
                    return status, document
                self.refusals += 1
            except (OSError, http.client.HTTPException, ValueError):
                self._close()
            if self._team.abandoned.is_set():
                raise RuntimeError(f"not answered: {method} {path}")
            time.sleep(_PAUSE_S)

    def _send(self, method: str, path: str, body: Any, key: str) -> tuple[int, Any]:
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self._team.port, timeout=30)
        headers = {"Authorization": f"Bearer {self._token}"} | ({"Idempotency-Key": key} if key else {})
        self._connection.request(method, f"/colophon/api{path}", None if body is None else json.dumps(body), headers)
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.will_close:
            self._close()
        return answer.status, json.loads(text) if text else None

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class Team:
    """The members, whose threads run from `start` to `stop`."""

    def __init__(self, service: Service, size: int, pause_s: float) -> None:
        """`pause_s` is the mean pause of a member between two requests."""
        self.port, self.pause_s = urlsplit(service.url).port or 0, pause_s
        self.stopped, self.abandoned = threading.Event(), threading.Event()
        self.members: list[Member] = []
        admin = Transport(ServerAddress(service.url, service.token))
        for number in range(size):
            name = f"team{number}"
            proposal = {
                "urn": build_table_urn(name, "orders"),
                "aspect": "technicalMetadata",
                "operation": "upsert",
                "value": {"properties": {}, "tags": []},
            }
            admin.request("POST", "/proposals", body={"proposals": [proposal]}, timeout_s=_PATIENCE_S)
            rights = {"name": name, "scopes": ["read", "annotate", "emit"], "namespaces": [name]}
            self.members.append(
                Member(
                    self,
                    number,
                    admin.request("POST", "/service-tokens", body=rights, timeout_s=_PATIENCE_S).body["token"],
                )
            )

    def start(self) -> None:
        """Start to work."""
        for member in self.members:
            member.start()

    def stop(self) -> None:
        """Stop, once each member's last request is answered."""
        self.stopped.set()
        deadline = time.monotonic() + 120
        for member in self.members:
            member.join(max(0.0, deadline - time.monotonic()))
        self.abandoned.set()
        for member in self.members:
            member.join(60)

    def wait_for_writes(self, count: int) -> None:
        """Wait until this many more writes are acknowledged."""
        expected, deadline = self.count_writes() + count, time.monotonic() + 120
        while self.count_writes() < expected:
            assert time.monotonic() < deadline, self.list_findings()
            time.sleep(0.05)

    def count_writes(self) -> int:
        """Return the number of acknowledged writes."""
        return sum(len(member.written) for member in self.members)

    def list_findings(self) -> list[str]:
        """Return what the members found."""
        return [finding for member in self.members for finding in member.findings]

    def describe(self) -> str:
        """Return what was done, in one line."""
        durations = sorted(took for member in self.members for took in member.durations)
        reported = sum(len(member.reported) for member in self.members)
        reads = sum(member.reads for member in self.members)
        attempts, refusals = (
            sum(getattr(member, name) for member in self.members) for name in ("attempts", "refusals")
        )
        return (
            f"{len(self.members)} clients: {self.count_writes()} writes, {reported} reports, {reads} reads,"
            f" {attempts} attempts on others, {refusals} refused for a moment;"
            f" p50 {1000 * durations[len(durations) // 2]:.0f} ms, p99 {1000 * durations[len(durations) * 99 // 100]:.0f} ms"
        )


def wait_until_inbox_is_empty(service: Service) -> None:
    """Wait until every report was applied; none was refused."""
    deadline, health = time.monotonic() + 300, {}
    while time.monotonic() < deadline:
        with suppress(ClientError):
            health = read_health(service.connect())
            if health["inbox"]["pending"] == 0:
                break
        time.sleep(0.2)
    assert (health.get("inbox"), health.get("deadLetters")) == ({"pending": 0}, 0), health


def find_violations(team: Team, store: StorageChoice) -> list[str]:
    """Return what was lost, or applied twice, in the catalog of a stopped service."""
    catalog = choice.open_choice(choice.format_choice(store))
    try:
        rows = catalog.provider.tx_runner.run(
            lambda tx: list(tx.get_table("aspect_versions").scan(Range())), read_only=True
        )
    finally:
        catalog.close()
    applied: Counter[tuple[str, int]] = Counter()
    urns = {urn for member in team.members for urn in (member.table, member.reports)}
    for row in rows:
        if row["urn"] in urns and row["aspect"] == "businessMetadata" and row["value"] is not None:
            applied[row["urn"], int(json.loads(row["value"])["properties"]["number"])] += 1
    found = [f"{urn}: {number} was applied {count} times" for (urn, number), count in applied.items() if count > 1]
    for member in team.members:
        for urn, numbers in ((member.table, member.written), (member.reports, member.reported)):
            found += [f"{urn}: {number} is lost" for number in numbers if not applied[urn, number]]
    return found


def build_table_urn(namespace: str, name: str) -> str:
    """Return the URN of a dataset."""
    return f"urn:li:dataset:(urn:li:dataPlatform:spark,{namespace}.{name},PROD)"


def build_marker(namespace: str) -> str:
    """Return a word that only the metadata of one member contains."""
    return f"marker{namespace}x"
