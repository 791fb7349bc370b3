"""Run the body of a cell magic as IPython would run the cell."""

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


def run_cell_body(shell: "InteractiveShell", body: str) -> None:
    """Execute code in the user's namespace and display the value of a last expression.

    Exceptions of the code propagate, so that the cell fails and later cells stop. A top-level `await` is a SyntaxError:
    the event loop is busy with the magic itself.
    """
    __tracebackhide__ = "__ipython_bottom__"  # tracebacks show the person's lines, and %debug ends at them
    code = shell.transform_cell(body)  # type: ignore[no-untyped-call]
    # A file name registered with IPython, so that tracebacks show the body's lines with the number of the cell.
    name = shell.compile.cache(code, shell.displayhook.prompt_count, raw_code=body)
    tree = shell.transform_ast(shell.compile.ast_parse(code, filename=name))  # type: ignore[no-untyped-call]
    final = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec", shell.compile.flags), shell.user_global_ns, shell.user_ns)  # noqa: S102  the user's own cell
    if final is not None:
        expression = ast.Expression(final.value)
        value = eval(compile(expression, name, "eval", shell.compile.flags), shell.user_global_ns, shell.user_ns)  # noqa: S307
        if not code.rstrip().endswith(";"):
            shell.displayhook(value)
