"""Elyra's class of instances, under its module name."""

from jupyter_colophon.schemaspaces.metadata import InstanceMetadata

#: Elyra's name of the class.
Metadata = InstanceMetadata

__all__ = ["Metadata"]
