"""Run a broker with topics until standard input ends; the topics and their messages are JSON in the first argument.

The first line of the output is the address for clients that log in, as USER with PASSWORD.
"""

import json
import sys
import tempfile
from pathlib import Path

from confluent_kafka import Producer
from support.kafka.broker import Broker


def main() -> None:
    """Run the broker."""
    broker = Broker(Path(tempfile.mkdtemp()) / "node")
    try:
        broker.start()
        producer = Producer({"bootstrap.servers": broker.servers, "log_level": 0})
        for topic, messages in json.loads(sys.argv[1]).items():
            broker.create_topic(topic, 1)
            for message in messages:
                producer.produce(topic, json.dumps(message).encode())
        producer.flush(60)
        print(broker.password_protected_servers, flush=True)  # noqa: T201
        sys.stdin.read()
    finally:
        broker.stop()


if __name__ == "__main__":
    main()
