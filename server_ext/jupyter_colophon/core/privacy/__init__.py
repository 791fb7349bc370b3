"""Names of people in stored data."""
