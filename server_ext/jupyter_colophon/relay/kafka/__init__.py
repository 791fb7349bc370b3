"""Kafka: the change log to topics, and proposals from a topic (docs/kafka.md). librdkafka is loaded when it is used."""
