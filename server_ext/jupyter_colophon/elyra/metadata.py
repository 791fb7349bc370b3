"""Elyra's class of instances, under its module name."""

from jupyter_colophon.schemaspaces.metadata import Metadata

__all__ = ["Metadata"]
