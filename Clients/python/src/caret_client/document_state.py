"""An open document of a client: its replica, its name, and what other sessions say about themselves.

It uses no clock and no socket. Each event is a method that returns messages to send and updates for the program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import actions
from .actions import Changed, DocumentAction, Renamed, ReplicaAction, RightsChanged, Send, WriteEnded
from .changes import Edits, Selections
from .errors import CaretError
from .presence import MOST_SELECTIONS
from .replica import Write
from .replica_messages import Replica
from .wire import Message

STREAM = frozenset({"change", "ack", "check", "peer", "resync", "rights"})
"""The messages that name the document that they are about, and nothing else."""


MOST_INFO_LETTERS = 4_096
"""What a session says about its user has at most 1,024 bytes. If it is much longer, the client leaves it out."""


@dataclass(frozen=True, slots=True)
class Introduction:
    """What a session says about its user."""

    user: str
    client: str
    info: Message


class DocumentState:
    """A document that a client has open."""

    def __init__(self, name: str, next_id: Callable[[], int], creates: bool = False, watches: bool = False) -> None:
        self.replica = Replica(watches)
        self.name = name
        self.newline = "lf"
        self.introductions: dict[str, Introduction] = {}
        self.refusal: CaretError | None = None
        """The last refusal of the server."""
        self.delay_code: str | None = None
        """Why the server saves nothing yet, if it has said so."""
        self.retry_at: float | None = None
        """When `time_passed` must be called."""
        self._next_id = next_id
        self._creates = creates
        self._has_asked_to_create = False
        self._last_open: int | None = None
        self.last_write = 0
        self._now = 0.0

    # Events of the program.

    def typed(self, edits: Edits) -> list[DocumentAction]:
        """The edits fit the text."""
        return [Changed(edits, own=True), *self._run(self.replica.typed(edits))]

    def selected(self, selections: Selections) -> list[DocumentAction]:
        return self._run(self.replica.selected(selections))

    def wrote(self, message: Message) -> list[DocumentAction]:
        """Commits a whole text or an old one. The number of this write is `last_write`."""
        self.last_write += 1
        return self._run(self.replica.wrote(Write(self.last_write, message)))

    def retried(self) -> list[DocumentAction]:
        return self._run(self.replica.retried())

    def discarded(self) -> list[DocumentAction]:
        return self._run(self.replica.discarded())

    def created(self) -> list[DocumentAction]:
        """The program opens the document with `create`. A missing one is created now, or with the next answer."""
        is_missing = self.replica.saving == ("refused", "not_found")
        if is_missing or self.replica.saving[0] == "opening":
            self._creates = True
        return self.retried() if is_missing else []

    # Events of the connection and the clock.

    def welcomed(self, now: float) -> list[DocumentAction]:
        self._now = now
        return self._run(self.replica.connected())

    def disconnected(self) -> list[DocumentAction]:
        self._last_open, self.delay_code = None, None
        return self._run(self.replica.disconnected())

    def time_passed(self, now: float) -> list[DocumentAction]:
        if self.retry_at is None or self.retry_at > now:
            return []
        self.retry_at, self._now = None, now
        return self._run(self.replica.time_passed())

    def line_too_long(self, message: Message) -> list[DocumentAction]:
        """A push was not sent, because its line is longer than the server allows."""
        refusal = {"type": "error", "seq": message["seq"], "code": "line_too_long", "message": "the push is too long"}
        return self.received(refusal, self._now)

    def received(self, message: Message, now: float) -> list[DocumentAction]:
        """Handles a message that `is_addressed` accepts."""
        self._now = now
        self._record(message)
        rights = self.replica.rights
        done = self._run(self.replica.received(message), message)
        is_missing = message["type"] == "error" and "seq" not in message and message["code"] == "not_found"
        if is_missing and self._creates and not self._has_asked_to_create:
            done += self.retried()
        if self.replica.rights != rights:
            done.append(RightsChanged())
        return done

    def is_addressed(self, message: Message) -> bool:
        """Whether a message is about this document."""
        kind = message["type"]
        if kind in STREAM:
            return bool(message["doc"] == self.name)
        if kind == "opened":
            return self._last_open is not None and message.get("id") == self._last_open
        if kind == "error":
            if "id" in message:
                return bool(message["id"] == self._last_open)
            return message.get("doc") == self.name and "seq" in message
        if kind == "gone":
            # A `gone` for a follower may arrive late, when another document has the name.
            return message["doc"] == self.name and not message.get("followed")
        return bool(kind == "bye")

    def _record(self, message: Message) -> None:
        """Keeps the parts of a message that the replica does not use."""
        kind = message["type"]
        if kind == "ack":
            self.delay_code = None
        elif kind == "opened":
            self._last_open, self._creates, self.newline = None, False, message["newline"]
            self.introductions = {
                peer["session"]: _introduction(peer) for peer in message.get("peers", [])[:MOST_SELECTIONS]
            }
        elif kind == "peer":
            self._record_peer(message)
        elif kind == "error":
            self.refusal = refusal_of(message)
            self.delay_code = message["code"]
            if "id" in message:
                self._last_open = None
        elif kind == "gone" and message["reason"] != "renamed":
            self.refusal = CaretError("not_found", f"{self.name} is gone: {message['reason']}")

    def _record_peer(self, message: Message) -> None:
        session = message["session"]
        if message.get("left"):
            self.introductions.pop(session, None)
        elif "user" in message and "client" in message and len(self.introductions) < MOST_SELECTIONS:
            self.introductions[session] = _introduction(message)

    def _run(self, found: list[ReplicaAction], message: Message | None = None) -> list[DocumentAction]:
        done: list[DocumentAction] = []
        for action in found:
            step = self._step(action, message)
            if step is not None:
                done.append(step)
        return done

    def _step(self, action: ReplicaAction, message: Message | None) -> DocumentAction | None:
        match action:
            case actions.SendPush(push):
                return Send({**push, "doc": self.name})
            case actions.ShowEdits(edits):
                return Changed(edits, False, message if message and message["type"] == "change" else None)
            case actions.SendSelections(revision, selections):
                return Send({"type": "select", "doc": self.name, "rev": revision, "selections": selections})
            case actions.OpenDocument(position):
                return self._open(position)
            case actions.CloseDocument():
                return Send({"type": "close", "doc": self.name})
            case actions.ReportDivergence(revision):
                return Send({"type": "diverged", "doc": self.name, "rev": revision})
            case actions.RetryAfter(delay):
                self.retry_at = self._now + delay
                return None
            case actions.Rename(name):
                former, self.name = self.name, name
                return Renamed(former)
            case actions.Finish(write, revision, code):
                return WriteEnded(write, revision, self._write_error(code))
            case actions.ShowPeers() | actions.ShowSaving():
                return action

    def _write_error(self, code: str | None) -> CaretError | None:
        if code is None:
            return None
        if self.refusal and self.refusal.code == code:
            return self.refusal
        return CaretError(code, f"the text of {self.name} was not written")

    def _open(self, position: tuple[str, int] | None) -> Send:
        self._last_open = self._next_id()
        self._has_asked_to_create = self._creates
        message: dict[str, Any] = {"type": "open", "doc": self.name}
        if self._creates:
            message["create"] = True
        if position:
            message["epoch"], message["rev"] = position
        if self.replica.watches:
            message |= {"mode": "watch", "squash": True}
        return Send(message, self._last_open)


def _introduction(peer: Message) -> Introduction:
    info = peer.get("info", {})
    return Introduction(peer["user"], peer["client"], info if len(repr(info)) <= MOST_INFO_LETTERS else {})


def refusal_of(message: Message) -> CaretError:
    """The error of the server as one of the program."""
    delay = message.get("retry_after_ms")
    return CaretError(message["code"], message["message"], None if delay is None else delay / 1000)
