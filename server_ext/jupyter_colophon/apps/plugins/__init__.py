"""Plugins of namespaces that system applications call, each in a process of its own (docs/how-to/share-plugins.md)."""
