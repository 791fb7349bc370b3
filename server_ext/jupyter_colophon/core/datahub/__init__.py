"""DataHub's model and protocol: pure functions without input or output."""
