"""The errors of recipes."""


class RecipeError(ValueError):
    """A recipe cannot be parsed or applied. `line` and `column` count from 1."""

    def __init__(self, line: int, column: int, reason: str) -> None:
        super().__init__(f"line {line}, column {column}: {reason}")
        self.line, self.column, self.reason = line, column, reason


class ArgumentError(ValueError):
    """An argument of a directive is invalid. `offset` is its position in a text, if it is inside one."""

    def __init__(self, reason: str, offset: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.offset = reason, offset


class RowRejected(Exception):
    """A directive cannot process a row, which is removed and reported."""
