"""A real Kafka: one node of its published jars, that can be killed and comes back (`make .stamps/kafka` fetches them)."""
