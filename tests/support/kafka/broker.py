"""One node of Kafka in KRaft mode, with its own port and folder."""

import base64
import shutil
import socket
import subprocess
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient, NewTopic
from jupyter_colophon.spark.java import ensure_java

JARS = Path(__file__).parents[3] / "build" / "kafka"
_JAVA = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"]
USER, PASSWORD = "relay", "of-both-sides"
#: The module that checks passwords, in Java's clients and brokers.
LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"
#: The size of the header of a record batch in a log.
_BATCH = 61
_SETTINGS = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.listener.names": "CONTROLLER",
    "inter.broker.listener.name": "PLAINTEXT",
    "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,GUARDED:SASL_PLAINTEXT,VEILED:PLAINTEXT",
    "sasl.enabled.mechanisms": "PLAIN",
    "num.partitions": "3",
    "num.network.threads": "2",
    "num.io.threads": "2",
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "share.coordinator.state.topic.num.partitions": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    # A killed process is detected soon and may return.
    "broker.session.timeout.ms": "1500",
    "broker.heartbeat.interval.ms": "300",
    "group.initial.rebalance.delay.ms": "0",
    "log.cleaner.dedupe.buffer.size": "8388608",
    # The broker rejects larger records; the client does not.
    "message.max.bytes": "600000",
}


class Broker:
    """A broker that runs until `stop`. It is a child of this process and ends with it."""

    def __init__(self, folder: Path) -> None:
        assert any(JARS.glob("kafka_*.jar")), "Kafka's jars are not there: make .stamps/kafka"
        self.folder = folder
        self.port, self._guarded, controller, self.behind, self.before = find_free_ports(5)
        listeners = f"PLAINTEXT://127.0.0.1:{self.port},GUARDED://127.0.0.1:{self._guarded}"
        settings = _SETTINGS | {
            "listeners": f"{listeners},VEILED://127.0.0.1:{self.behind},CONTROLLER://127.0.0.1:{controller}",
            # The port before it is reserved for the proxy (veil.py).
            "advertised.listeners": f"{listeners},VEILED://127.0.0.1:{self.before}",
            "listener.name.guarded.plain.sasl.jaas.config": f'{LOGIN} user_{USER}="{PASSWORD}";',
            "controller.quorum.voters": f"1@127.0.0.1:{controller}",
            "log.dirs": str(folder / "data"),
        }
        folder.mkdir(parents=True)
        self._file = folder / "server.properties"
        self._file.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
        cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        process = self._start_java("kafka.tools.StorageTool", "format", f"--cluster-id={cluster}", "-c", self._file)
        assert process.wait(timeout=300) == 0, (folder / "log").read_text()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def servers(self) -> str:
        """The address for clients."""
        return f"127.0.0.1:{self.port}"

    @property
    def password_protected_servers(self) -> str:
        """The address that accepts only USER, by the mechanism PLAIN."""
        return f"127.0.0.1:{self._guarded}"

    def start(self) -> None:
        """Start the broker and wait until it answers."""
        self._process = self._start_java("kafka.Kafka", self._file)
        attempts = 3
        for _ in range(120):
            if self._process.poll() is not None:
                # Another process may use one of the ports for a moment.
                attempts -= 1
                assert attempts, (self.folder / "log").read_text()
                self._process = self._start_java("kafka.Kafka", self._file)
            # A client that once received an empty list of brokers may never ask again.
            admin = AdminClient({"bootstrap.servers": self.servers, "log_level": 0})
            try:
                if admin.list_topics(timeout=2).brokers:
                    return
            except KafkaException:
                continue
        raise AssertionError("Kafka did not start")

    def kill(self) -> None:
        """Kill the broker."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(timeout=300)
        self._process = None

    def stop(self) -> None:
        """Stop the broker and remove its files."""
        if self._process is not None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def create_topic(self, name: str, partitions: int = 3, **settings: str) -> None:
        """Create a topic."""
        config = {key.replace("_", "."): value for key, value in settings.items()}
        admin = AdminClient({"bootstrap.servers": self.servers})
        admin.create_topics([NewTopic(name, partitions, 1, config=config)])[name].result(120)

    def delete_topic(self, name: str) -> None:
        """Delete a topic with its records."""
        admin = AdminClient({"bootstrap.servers": self.servers})
        admin.delete_topics([name])[name].result(120)
        for _ in range(1_200):
            if name not in admin.list_topics(timeout=5).topics:
                return
            time.sleep(0.1)
        raise AssertionError("the topic is still there")

    def list_producer_ids(self, topic: str) -> set[int]:
        """Return the producer ids in the log of a topic; -1 is a record without one."""
        ids = set()
        for log in (self.folder / "data").glob(f"{topic}-*/*.log"):
            data, at = log.read_bytes(), 0
            while at + _BATCH <= len(data) and (length := int.from_bytes(data[at + 8 : at + 12], "big")):
                ids.add(int.from_bytes(data[at + 43 : at + 51], "big", signed=True))
                at += 12 + length
        return ids

    def _start_java(self, main: str, *arguments: object) -> "subprocess.Popen[bytes]":
        command = [str(ensure_java() / "bin" / "java"), *_JAVA, "-cp", str(JARS / "*"), main, *map(str, arguments)]
        # Ends with this process, also if this process is killed.
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *command], stdout=log, stderr=log)


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """Start one broker for all tests."""
    started = Broker(tmp_path_factory.mktemp("kafka") / "node")
    started.start()
    yield started
    started.stop()


def find_free_ports(count: int) -> list[int]:
    taken = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [listener.getsockname()[1] for listener in taken]
    for listener in taken:
        listener.close()
    return ports
