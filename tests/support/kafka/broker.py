"""One node of Kafka, in KRaft mode, on a port of its own, with all it keeps in a folder of its own."""

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
#: How Java's clients and brokers are told of a password.
LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"
#: How long the head of a batch of records is in a log.
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
    # Who was killed is missed soon, and may come back.
    "broker.session.timeout.ms": "1500",
    "broker.heartbeat.interval.ms": "300",
    "group.initial.rebalance.delay.ms": "0",
    "log.cleaner.dedupe.buffer.size": "8388608",
    # A record of more than that is refused by the broker, and not by the client.
    "message.max.bytes": "600000",
}


class Broker:
    """A broker that runs until `stop`. It is a child of this process and ends with it."""

    def __init__(self, folder: Path) -> None:
        assert any(JARS.glob("kafka_*.jar")), "Kafka's jars are not there: make .stamps/kafka"
        self.folder = folder
        self.port, self._guarded, controller, self.behind, self.before = _free_ports(5)
        listeners = f"PLAINTEXT://127.0.0.1:{self.port},GUARDED://127.0.0.1:{self._guarded}"
        settings = _SETTINGS | {
            "listeners": f"{listeners},VEILED://127.0.0.1:{self.behind},CONTROLLER://127.0.0.1:{controller}",
            # Who comes by the port before it is kept there (veil.py).
            "advertised.listeners": f"{listeners},VEILED://127.0.0.1:{self.before}",
            "listener.name.guarded.plain.sasl.jaas.config": f'{LOGIN} user_{USER}="{PASSWORD}";',
            "controller.quorum.voters": f"1@127.0.0.1:{controller}",
            "log.dirs": str(folder / "data"),
        }
        folder.mkdir(parents=True)
        self._file = folder / "server.properties"
        self._file.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
        cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        made = self._java("kafka.tools.StorageTool", "format", f"--cluster-id={cluster}", "-c", self._file)
        assert made.wait(timeout=300) == 0, (folder / "log").read_text()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def servers(self) -> str:
        """How clients reach it."""
        return f"127.0.0.1:{self.port}"

    @property
    def guarded(self) -> str:
        """Where it lets nobody in but USER, by the mechanism PLAIN."""
        return f"127.0.0.1:{self._guarded}"

    def start(self) -> None:
        """Start it and wait until it answers."""
        self._process = self._java("kafka.Kafka", self._file)
        for _ in range(120):
            assert self._process.poll() is None, (self.folder / "log").read_text()
            # A client that was told once of no brokers may never look for one again.
            admin = AdminClient({"bootstrap.servers": self.servers, "log_level": 0})
            try:
                if admin.list_topics(timeout=0.5).brokers:
                    return
            except KafkaException:
                continue
        raise AssertionError("Kafka did not start")

    def kill(self) -> None:
        """End it at once."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(timeout=300)
        self._process = None

    def stop(self) -> None:
        """End it and remove all that it kept."""
        if self._process is not None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def make_topic(self, name: str, partitions: int = 3, **settings: str) -> None:
        """Make a topic."""
        config = {key.replace("_", "."): value for key, value in settings.items()}
        admin = AdminClient({"bootstrap.servers": self.servers})
        admin.create_topics([NewTopic(name, partitions, 1, config=config)])[name].result(120)

    def remove_topic(self, name: str) -> None:
        """Remove a topic with all that is on it."""
        admin = AdminClient({"bootstrap.servers": self.servers})
        admin.delete_topics([name])[name].result(120)
        for _ in range(100):
            if name not in admin.list_topics(timeout=5).topics:
                return
            time.sleep(0.1)
        raise AssertionError("the topic is still there")

    def producers(self, topic: str) -> set[int]:
        """The numbers that producers of a topic's records gave themselves, as its log has them; -1 is none."""
        found = set()
        for log in (self.folder / "data").glob(f"{topic}-*/*.log"):
            data, at = log.read_bytes(), 0
            while at + _BATCH <= len(data) and (length := int.from_bytes(data[at + 8 : at + 12], "big")):
                found.add(int.from_bytes(data[at + 43 : at + 51], "big", signed=True))
                at += 12 + length
        return found

    def _java(self, main: str, *arguments: object) -> "subprocess.Popen[bytes]":
        command = [str(ensure_java() / "bin" / "java"), *_JAVA, "-cp", str(JARS / "*"), main, *map(str, arguments)]
        # Also when this process is killed, it ends.
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *command], stdout=log, stderr=log)


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """One for all tests."""
    made = Broker(tmp_path_factory.mktemp("kafka") / "node")
    made.start()
    yield made
    made.stop()


def _free_ports(count: int) -> list[int]:
    taken = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in taken]
    for one in taken:
        one.close()
    return ports
