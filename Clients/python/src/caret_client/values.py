"""What requests return."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from .changes import Edits


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """A document in a list."""

    name: str
    epoch: str
    revision: int
    length: int
    updated: datetime


@dataclass(frozen=True, slots=True)
class OldText:
    """The text of a document at a revision."""

    name: str
    epoch: str
    revision: int
    text: str
    newline: str


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision in a history."""

    revision: int
    user: str
    client: str
    time: datetime
    inserted: int
    deleted: int
    edits: Edits | None


@dataclass(frozen=True, slots=True)
class BlamedLines:
    """Successive lines that the same revision changed last. The first line of a text is 1.

    If the lines did not change since the oldest kept revision, `revision` is that one, and the author is unknown.
    """

    line: int
    count: int
    revision: int
    user: str | None
    client: str | None
    time: datetime | None


@dataclass(frozen=True, slots=True)
class Tag:
    """A revision that has a name."""

    name: str
    revision: int
    user: str
    time: datetime


@dataclass(frozen=True, slots=True)
class Note:
    """A note on words of a document, an answer to the note `parent`, or a suggestion of `edits`.

    `range` and `edits` count in the text at `revision`. `state` is `open`, `resolved`, `accepted` or `rejected`. An
    accepted suggestion became the revision `accepted`, if it changed something.
    """

    number: int
    version: int
    revision: int
    parent: int | None
    range: tuple[int, int] | None
    quote: str
    text: str
    edits: Edits | None
    user: str
    time: datetime
    edited: datetime | None
    state: str
    accepted: int | None


@dataclass(frozen=True, slots=True)
class NoteList:
    """Notes of a document: all of them if `whole`. `rights` are `read`, `note` or `write`."""

    count: int
    rights: str
    whole: bool
    notes: list[Note]


@dataclass(frozen=True, slots=True)
class DeletedDocument:
    """A deleted document that can still be brought back."""

    number: int
    name: str
    revision: int
    length: int
    updated: datetime
    deleted: datetime


@dataclass(frozen=True, slots=True)
class DocumentLink:
    """A link to a document. `user` is what the server calls everybody who uses it."""

    number: int
    user: str
    rights: str
    created: datetime
    expires: datetime
    last_use: datetime | None


@dataclass(frozen=True, slots=True)
class DocumentEvent:
    """Something about the documents that a program follows.

    `kind` is `document` (`document` exists or has changed), `gone` (`name` was deleted or renamed to `to`), `complete`
    (all that exist were reported) or `restarted` (the list begins again, for example after a lost connection).
    """

    kind: str
    name: str | None = None
    document: DocumentInfo | None = None
    reason: str | None = None
    to: str | None = None


def time_of(milliseconds: int) -> datetime:
    """A time of the protocol. One that Python cannot have becomes the latest that it can."""
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.max.replace(tzinfo=UTC)


def milliseconds_of(time: datetime) -> int:
    return int(time.timestamp() * 1000)


def document_info(item: dict[str, Any]) -> DocumentInfo:
    return DocumentInfo(item["doc"], item["epoch"], item["rev"], item["length"], time_of(item["updated"]))


def document_event(event: dict[str, Any]) -> DocumentEvent:
    kind = event["type"]
    if kind == "document":
        return DocumentEvent(kind, event["doc"], document_info(event))
    return DocumentEvent(kind, event.get("doc"), None, event.get("reason"), event.get("to"))
