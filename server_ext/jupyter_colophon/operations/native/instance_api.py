"""The part of the native API for schemaspaces and their instances: the command line runs it without loading the rest."""

from typing import Final

from jupyter_colophon.operations.native import instances, leftovers, schemaspaces
from jupyter_colophon.operations.native.definition import define_native_api

INSTANCE_API: Final = define_native_api(schemaspaces, instances, leftovers)
