"""Elyra's class of schemaspaces, under its module name."""

from jupyter_colophon.schemaspaces.schema import Schemaspace

__all__ = ["Schemaspace"]
