"""Numbers of things, in words."""


def counted(number: int, noun: str) -> str:
    """`1 field`, `2 fields`: the noun is one whose plural ends in s."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
