"""Kafka: the change log to topics, and proposals from a topic (docs/kafka.md). librdkafka is loaded on first use."""
