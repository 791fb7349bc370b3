"""A real Kafka: one node of its published jars, which can be killed and restarted (`make .stamps/kafka` fetches them)."""
