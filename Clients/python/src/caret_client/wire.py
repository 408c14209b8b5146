"""Lines and messages. A line of the server is checked here once, so that the rest of the client can rely on it."""

from __future__ import annotations

import json
from typing import Any

from .changes import Edit, Selection
from .protocol import PARTS, SERVER_MESSAGES, Field

Message = dict[str, Any]
"""A message. In messages of the server, edits and selections are tuples of Edit and Selection."""

MOST_INTEGER = 2**53 - 1
"""The largest integer of the protocol."""
DEFAULT_DOCUMENT_BYTES = 4 * 1024 * 1024
MOST_NAME_LETTERS = 512
"""Names and ids are no longer than the longest name of a document."""
MOST_LINE_BYTES = 512 * 1024 * 1024
"""The client reads no longer line, whatever the server announces."""


class InvalidLine(ValueError):
    """The server sent something that the protocol does not allow."""


class LineReader:
    """Splits the bytes of a connection into lines of at most `limit` bytes."""

    def __init__(self) -> None:
        self.limit = longest_line(DEFAULT_DOCUMENT_BYTES)
        self._parts: list[bytes] = []
        self.waiting = 0
        """How many bytes of an incomplete line have arrived."""

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that these bytes complete, without their ends. Raises InvalidLine if a line is too long."""
        *lines, rest = data.split(b"\n")
        if lines:
            if self._parts:
                lines[0] = b"".join([*self._parts, lines[0]])
            self._parts, self.waiting = [], 0
        if rest:
            self._parts.append(rest)
            self.waiting += len(rest)
        if self.waiting > self.limit or any(len(line) > self.limit for line in lines):
            raise InvalidLine(f"a line of the server has more than {self.limit} bytes")
        return [line for line in lines if line and line != b"\r"]


def longest_line(document: int) -> int:
    """How long a line of the server can be, if its documents have at most so many bytes (rule L5)."""
    return min(6 * document + 64 * 1024, MOST_LINE_BYTES)


def encode(message: Message, id: int | None = None) -> bytes:
    """The line of a message, without its end. Members that are None are left out."""
    members = {name: value for name, value in message.items() if value is not None}
    if id is not None:
        members["id"] = id
    return _encode(members).encode()


def wire_edits(edits: tuple[Edit, ...]) -> list[Message]:
    """Edits as a message has them."""
    return [{"range": (start, end), "text": text} for start, end, text in edits]


def decode(line: bytes) -> Message:
    """The message of a line. Raises InvalidLine if it is none. A message of an unknown type is not checked."""
    try:
        text = line.decode()
        message = _decode(text)
        if "\\u" in text:
            # Only an escape can have made a lone surrogate, which no text of a document has.
            _encode(message).encode()
    except (ValueError, RecursionError) as error:
        raise InvalidLine(f"a line of the server is no message: {type(error).__name__}") from None
    if type(message) is not dict or type(message.get("type")) is not str:
        raise InvalidLine("a line of the server is no object with a type")
    if type(message.get("id", 0)) not in (int, str):
        raise InvalidLine("an id is neither an integer nor a string")
    kind = message["type"]
    _check(message, SERVER_MESSAGES.get(kind, ()), kind)
    return message


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_decode = json.JSONDecoder(parse_constant=_refuse_constant).decode


def _check(values: Message, fields: tuple[Field, ...], place: str) -> None:
    """Checks the fields of a message or part, and turns edits and selections into tuples."""
    for name, kind, is_required in fields:
        value = values.get(name)
        if value is None:
            if is_required or name in values:
                raise InvalidLine(f"{place} has no {name}")
        elif kind == "string":
            if type(value) is not str or (name == "text" and "\r" in value):
                raise InvalidLine(f"{name} of {place} is no text")
            if name in _NAMES and len(value) > MOST_NAME_LETTERS:
                raise InvalidLine(f"{name} of {place} has more than {MOST_NAME_LETTERS} letters")
        elif kind == "integer":
            if type(value) is not int or not 0 <= value <= MOST_INTEGER:
                raise InvalidLine(f"{name} of {place} is no integer from 0 to 2^53-1")
        else:
            values[name] = _checked_list(value, kind, f"{name} of {place}")


_NAMES = frozenset({"doc", "epoch", "session", "user", "client", "to"})
"""The fields that a client keeps for each peer or document, so that each must be short."""

_KINDS = {"boolean": "bool", "object": "dict", "objects": "list", "strings": "list"}


def _checked_list(value: Any, kind: str, place: str) -> Any:
    if kind == "edits":
        return _checked_edits(value, place)
    if kind == "selections":
        return _checked_selections(value, place)
    if kind == "range":
        return _checked_pair(value, place)
    kind, _, part = kind.partition(":")
    if type(value).__name__ != _KINDS[kind]:
        raise InvalidLine(f"{place} has the wrong kind")
    if kind == "strings" and not all(type(one) is str for one in value):
        raise InvalidLine(f"{place} are no strings")
    if part:
        for one in value if kind == "objects" else [value]:
            if type(one) is not dict:
                raise InvalidLine(f"{place} are no objects")
            _check(one, PARTS[part], place)
    return value


def _checked_edits(value: Any, place: str) -> tuple[Edit, ...]:
    if type(value) is not list:
        raise InvalidLine(f"{place} is no list")
    edits = []
    for one in value:
        if type(one) is not dict:
            raise InvalidLine(f"{place} has something that is no edit")
        (start, end), text = _checked_pair(one.get("range"), place), one.get("text")
        if start > end or type(text) is not str or "\r" in text:
            raise InvalidLine(f"{place} has something that is no edit")
        edits.append(Edit(start, end, text))
    return tuple(edits)


def _checked_selections(value: Any, place: str) -> tuple[Selection, ...]:
    if type(value) is not list:
        raise InvalidLine(f"{place} is no list")
    return tuple(Selection(*_checked_pair(one, place)) for one in value)


def _checked_pair(value: Any, place: str) -> tuple[int, int]:
    if type(value) is list and len(value) == 2:
        first, second = value
        if type(first) is type(second) is int and 0 <= first <= MOST_INTEGER and 0 <= second <= MOST_INTEGER:
            return first, second
    raise InvalidLine(f"{place} has something that is no pair of offsets")
