"""Aspects that are told by time."""

from jupyter_colophon.http.datahub import shapes
from jupyter_colophon.http.datahub.asking import Answer, Asking

QUESTION = shapes.record("urn", urn=shapes.TEXT)
VALUES = shapes.record("values", values=shapes.several(shapes.ANY))


def values(asking: Asking) -> Answer:
    """Values"""
    return Answer({"value": {"values": []}})
