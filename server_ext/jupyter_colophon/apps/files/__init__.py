"""Files of system applications: by name, and partitions by their keys."""
