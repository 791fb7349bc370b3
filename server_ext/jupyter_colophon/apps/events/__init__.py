"""Events for system applications: listeners, and events that a listener could not handle."""
