"""What the library `datasets` of Hugging Face reads, computes and writes.

The Arrow files in which it keeps intermediate results are no data of the program: calls inside an observed one are not reported.
"""

from types import ModuleType

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.huggingface.computations import observe_computations
from jupyter_colophon.capture.huggingface.files import observe_files


def install(module: ModuleType, adapter: Adapter) -> None:
    """Observe the functions and classes of the library; another module of this name, such as one of the program, is left alone."""
    if hasattr(module, "DatasetDict"):
        observe_files(module, adapter)
        observe_computations(module, adapter)
