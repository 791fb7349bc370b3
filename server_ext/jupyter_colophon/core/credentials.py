"""Mask credentials in text with `***`, by their position.

A value is a credential by its position: the value of an option, a keyword, a property or a statement with a secret name
(`.option("password", "x")`, `token="x"`, `SET fs.s3a.secret.key=x`, `IDENTIFIED BY 'x'`), or the user part of a URL. In
doubt a word is masked. The time is linear in the length of the text.
"""

import re
from typing import Final, Literal

MASK: Final = "***"

#: Parts of secret names, without word separators.
_SECRET_PARTS = (
    "password",
    "passwort",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "credential",
    "apikey",
    "accesskey",
    "accountkey",
    "authkey",
    "encryptionkey",
    "privatekey",
    "sharedkey",
    "authorization",
    "jaasconfig",
    "identified",
)
#: Names that are secret only as whole words.
_SECRET_WORDS = frozenset({"auth", "cred", "creds", "pass", "passcode", "pat", "pw", "sas", "sig", "signature"})
_WORDS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")

#: The depth of nested literals, such as SQL in Python or JSON in SQL. Deeper ones are masked as a whole.
_DEEPEST = 4

_TOKEN = re.compile(
    r"(?P<block>[A-Za-z]{0,2}(?:\"\"\"|'''))"
    r"|(?P<escaped>\\[\"'])"
    r"|(?P<literal>(?:(?<![A-Za-z0-9_])[A-Za-z]{1,2})?(?:\"(?:[^\"\\\n]|\\.)*|'(?:[^'\\\n]|\\.)*))"
    r"|(?P<comment>(?:\#+|--[ \t])[^\n]*)"
    r"|(?P<number>\d[\w.]*)"
    r"|(?P<word>[A-Za-z_$]\w*)"
    r"|(?P<sign>.)",
    re.DOTALL,
)
_OPENING = re.compile(r"[A-Za-z]{0,2}(\"\"\"|'''|\\?[\"'])")

_USER_OF_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{0,40}://)(?P<user>(?:[^\s\"'<>@]{0,2048}@)+)")
_USER_OF_ORACLE = re.compile(r"(jdbc:oracle:\w{1,20}:)[^\s@]{1,2048}@", re.IGNORECASE)
_ASSIGNED = re.compile(
    r"(?P<name>[\w.$-]{1,256})(?P<sign>[ \t]{0,8}(?:=|:(?!//))[ \t]{0,8})(?P<value>[^\s;&,\"'()\[\]{}<>\\]{1,4096})"
)
_FLAG = re.compile(
    r"(?P<name>(?<![\w-])--?[A-Za-z][\w-]{0,100})(?P<sign>[ \t]{1,8})(?P<value>[^\s\"'-][^\s\"']{0,4096})"
)
_BEARER = re.compile(
    r"\b(bearer|authorization[\"' \t]{0,4}[:=][\"' \t]{0,4}basic)([ \t]+)[A-Za-z0-9._~+/=-]{6,4096}", re.IGNORECASE
)
_IN_PROSE = re.compile(
    r"\b(password|passwort|passwd|passphrase|pwd|pw)\b([ \t]{0,8}(?:is\b|=|:)?[ \t]{0,8})[^\s=:]\S{0,4096}",
    re.IGNORECASE,
)
_LINE_MAGIC = re.compile(r"^[ \t]*[%!][^\n]*", re.MULTILINE)


def is_secret_name(name: str) -> bool:
    """Return whether a name (`password`, `fs.s3a.secret.key`, `dbToken`) indicates a secret value."""
    words = [word.lower() for word in _WORDS.findall(name)]
    joined = "".join(words)
    return any(part in joined for part in _SECRET_PARTS) or not _SECRET_WORDS.isdisjoint(words)


def mask_secrets_in_code(source: str) -> str:
    """Return the source of a cell (Python, or magics with any language) without credentials."""
    if source.lstrip().startswith("%%"):
        return mask_secrets_in_comment(source)
    parts: list[str] = []
    begin = 0
    for line in _LINE_MAGIC.finditer(source):
        parts += [_mask_literals(source[begin : line.start()], 0), mask_secrets_in_comment(line[0])]
        begin = line.end()
    return "".join([*parts, _mask_literals(source[begin:], 0)])


def mask_secrets_in_text(text: str) -> str:
    """Return a text (a message, a URL, SQL) without credentials."""
    return _mask_secrets_at_level(text, 1)


def mask_secrets_in_comment(comment: str) -> str:
    """Return what a person wrote in a comment without credentials: the word after `password` is one."""
    return _IN_PROSE.sub(rf"\1\2{MASK}", mask_secrets_in_text(comment))


def _mask_secrets_at_level(text: str, level: int) -> str:
    text = _mask_literals(text, level)
    text = _USER_OF_URL.sub(_mask_url_user, text)
    text = _USER_OF_ORACLE.sub(rf"\1{MASK}@", text)
    text = _BEARER.sub(rf"\1\2{MASK}", text)
    return _FLAG.sub(_mask_matched_value, _ASSIGNED.sub(_mask_matched_value, text))


def _mask_url_user(match: re.Match[str]) -> str:
    # The container of an Azure account is written where other URLs have a user.
    is_container = match["scheme"].lower().startswith(("abfs", "wasb")) and ":" not in match["user"]
    return match[0] if is_container else f"{match['scheme']}{MASK}@"


def _mask_matched_value(match: re.Match[str]) -> str:
    return f"{match['name']}{match['sign']}{MASK}" if is_secret_name(match["name"]) else match[0]


class _SecretScanState:
    """The position of a walk through a text: in the value of a secret name, after such a name, or elsewhere."""

    def __init__(self) -> None:
        self._depth = 0
        #: The depth of brackets at which the value of a secret name began.
        self._value_depth: int | None = None
        self._has_value = False
        #: The secret name directly before this position: a word may be the name of a function.
        self._name: Literal["word", "literal"] | None = None

    @property
    def is_secret(self) -> bool:
        """Return whether a literal here is the value of a secret name."""
        return self._value_depth is not None or self._name == "word"

    def update_by_word(self, word: str) -> None:
        """Process a word. The word between a name and its literal (`IDENTIFIED BY`) changes nothing."""
        self._has_value = True
        if self._value_depth is None and is_secret_name(word):
            self._name = "word"

    def update_by_literal(self, content: str) -> None:
        """Process a literal or a number."""
        self._has_value = True
        self._name = "literal" if self._value_depth is None and is_secret_name(content) else None

    def update_by_punctuation(self, sign: str) -> None:
        """Process a character that belongs to no word and no literal."""
        if sign in "([{":
            self._depth += 1
            if sign == "(" and self._name == "word":
                self._begin_secret_value()
        elif sign in ")]}":
            self._depth -= 1
        elif sign in ",:=" and self._name is not None and self._value_depth is None:
            self._begin_secret_value()
        elif sign in "\n;.":
            self._name = None
        if self._value_depth is not None and self._ends_secret_value(sign, self._value_depth):
            self._value_depth = None

    def _ends_secret_value(self, sign: str, depth: int) -> bool:
        if sign in ")]}":
            return self._depth < depth
        is_end = sign in ",;" or (sign == "\n" and depth <= 0)
        return is_end and self._has_value and self._depth <= depth

    def _begin_secret_value(self) -> None:
        self._value_depth, self._has_value, self._name = self._depth, False, None


def _mask_literals(text: str, level: int) -> str:
    """Mask the literals that are values of secret names, and secrets within other literals."""
    if level > _DEEPEST:
        return MASK
    parts: list[str] = []
    position, at = _SecretScanState(), 0
    while (match := _TOKEN.match(text, at)) is not None:
        kind, token, at = match.lastgroup, match[0], match.end()
        if kind in ("block", "escaped", "literal"):
            opening, content, closing = _split_literal_into_quotes_and_content(text, match)
            at = match.start() + len(opening) + len(content) + len(closing)
            parts += [opening, MASK if position.is_secret else _mask_secrets_at_level(content, level + 1), closing]
            position.update_by_literal(content)
        elif kind == "number":
            parts.append(MASK if position.is_secret else token)
            position.update_by_literal("")
        elif kind == "word":
            parts.append(token)
            position.update_by_word(token)
        elif kind == "comment" and level == 0:
            parts.append(mask_secrets_in_comment(token))
        else:
            # `#` begins a comment only in the source itself.
            at = match.start() + 1
            parts.append(token[0])
            position.update_by_punctuation(token[0])
    return "".join(parts)


def _split_literal_into_quotes_and_content(text: str, match: re.Match[str]) -> tuple[str, str, str]:
    """Return a literal's opening with its prefix, its content, and its closing, which may be missing."""
    opening = _OPENING.match(text, match.start())
    if opening is None:
        return match[0], "", ""
    quote, begin = opening[1], opening.end()
    end = match.end() if match.lastgroup == "literal" else text.find(quote, begin)
    end = len(text) if end < 0 else end
    return opening[0], text[begin:end], quote if text.startswith(quote, end) else ""
