"""The state of a client: its connection, its requests and its open documents.

It uses no clock, no socket and no random numbers. Each event is a method that returns actions, which its owner runs in
order. Moments are seconds. `jitter` is a random number from 0 to below 1.

Law: every request ends exactly once, with an answer or an error. If the connection ends before the answer, the request
is sent again only if that does no harm.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from .actions import (
    Answer, ClientAction, Connect, Deliver, Disconnect, DocumentAction, Ended, Fail, LinkChanged, Send, Update, WakeAt,
)
from .backoff import LONGEST_REQUESTED_DELAY
from .document_state import STREAM, DocumentState, refusal_of
from .errors import CaretError
from .protocol import CLOSING_CODES, FINAL_CODES
from .requests import MOST_UNANSWERED, PendingRequests
from .rotation import ServerRotation
from .wire import Message

REQUEST_DELAY = 0.5
"""When a refused request is sent again, if the server has named no delay."""


@dataclass(frozen=True, slots=True)
class Link:
    """Whether the client is connected.

    `state` is `idle`, `asking` (for a token), `connecting`, `greeting`, `online`, `waiting` or `ended`. `until` is the
    moment of the next attempt, by the clock of the loop, and `reason` says what went wrong last.
    """

    state: str
    reason: str | None = None
    until: float = 0.0


class ClientState:
    """A client with one connection at a time."""

    def __init__(
        self, servers: list[str], client: str, token: str | None = None, info: Message | None = None,
        owns_id: bool = True,
    ) -> None:
        """With `owns_id`, certainly no other client uses the same id."""
        self.link = Link("idle")
        self.welcome: Message = {}
        """The server's last `welcome`."""
        self.documents: dict[int, DocumentState] = {}
        self.hello: Message = {"type": "hello", "protocol": 1, "client": client, "units": ["utf-32"]}
        if token is not None:
            self.hello["token"] = token
        if info:
            self.hello["info"] = info
        # What guests may read has changed, or a proxy must be asked again. The next connection does both.
        self.final_reasons = {"revoked"} if token is None else {"revoked", "token_ended"}
        self.ids = count(1)
        self._owns_id = owns_id
        self._requests = PendingRequests()
        self._keys = count(1)
        self._follow: Send | None = None
        self._rotation = ServerRotation(servers)
        self._silent_since = 0.0
        self._has_pinged = False
        self._close_notice: tuple[str, float] | None = None
        """What the server announced about the end of this connection: the reason, and when to connect again."""
        self._wakes_at: float | None = None
        self._end_error: CaretError | None = None

    @property
    def is_online(self) -> bool:
        return self.link.state == "online"

    @property
    def server(self) -> int:
        """The index of the server that the client is connected to, or tries next."""
        return self._rotation.index

    def next_id(self) -> int:
        return next(self.ids)

    # Events of the program.

    def started(self, now: float) -> list[ClientAction]:
        return [*self.connect(now), *self.wake()] if self.link.state == "idle" else []

    def requested(self, message: Message) -> tuple[int, list[ClientAction]]:
        """Sends a request, now or as soon as there is a connection. Returns its id."""
        id = self.next_id()
        if self.link.state == "ended":
            return id, [Fail(id, self._end_error or lost(self.link.reason))]
        if not self._requests.add(id, message):
            sentence = f"{MOST_UNANSWERED} requests have no answer, which is the limit"
            return id, [Fail(id, CaretError("too_many", sentence))]
        return id, self._send_requests()

    def followed(self, prefix: str | None) -> list[ClientAction]:
        """Follows the documents with this prefix, instead of those before. None ends it."""
        if prefix is None:
            self._follow = None
            return [Send({"type": "unfollow"})] if self.is_online else []
        self._follow = Send({"type": "follow", "prefix": prefix or None}, self.next_id())
        return self.send_follow()

    def closed(self, now: float) -> list[ClientAction]:
        return self.end("closed", CaretError("closed", "the client is closed"))

    # Open documents.

    def opened(self, name: str, creates: bool, watches: bool, now: float) -> tuple[int, list[ClientAction]]:
        """Opens a document, now or as soon as there is a connection. Returns its key."""
        key = next(self._keys)
        self.documents[key] = DocumentState(name, self.next_id, creates, watches)
        if not self.is_online:
            return key, []
        return key, self.change(key, lambda document: document.welcomed(now))

    def change(self, key: int, event: Callable[[DocumentState], list[DocumentAction]]) -> list[ClientAction]:
        """Passes an event to an open document."""
        document = self.documents.get(key)
        if document is None:
            return []
        found = event(document)
        done: list[ClientAction] = [one if isinstance(one, Send) else Update(key, one) for one in found]
        return done + self.wake() if document.retry_at is not None else done

    def closed_document(self, key: int) -> list[ClientAction]:
        """Closes a document. Edits that are not committed yet are lost."""
        document = self.documents.pop(key, None)
        if document is None or not self.is_online:
            return []
        return [Send({"type": "close", "doc": document.name})]

    def _change_all(self, event: Callable[[DocumentState], list[DocumentAction]]) -> list[ClientAction]:
        return [action for key in list(self.documents) for action in self.change(key, event)]

    # Events of the connection and the clock.

    def connected(self, now: float) -> list[ClientAction]:
        if self.link.state != "connecting":
            return []
        self.link = Link("greeting", self.link.reason)
        self._silent_since = now
        return [Send(self.hello), *self.wake()]

    def progressed(self, now: float) -> list[ClientAction]:
        """A large part of a line has arrived."""
        self._silent_since, self._has_pinged = now, False
        return []

    def received(self, message: Message, now: float, jitter: float) -> list[ClientAction]:
        self._silent_since, self._has_pinged = now, False
        if self.link.state == "greeting":
            return [*self._hello_answered(message, now, jitter), *self.wake()]
        return self._received_online(message, now) if self.is_online else []

    def line_too_long(self, send: Send, limit: int) -> list[ClientAction]:
        """A message was not sent, because its line is longer than the server allows."""
        if self._requests.complete(send.id):
            assert send.id is not None
            error = CaretError("line_too_long", f"the request has more than {limit} bytes")
            return [Fail(send.id, error), *self._send_requests()]
        for key, document in self.documents.items():
            if document.name == send.message.get("doc") and "seq" in send.message:
                return self.change(key, lambda document: document.line_too_long(send.message))
        return []

    def disconnected(self, reason: str, now: float, jitter: float) -> list[ClientAction]:
        """The connection has ended, or could not be made."""
        if self.link.state not in ("connecting", "greeting", "online"):
            return []
        notice, self._close_notice = self._close_notice, None
        reason, retry_after = notice or (reason, 0.0)
        failure = self._rotation.failed(reason, retry_after, now, jitter)
        self.link = Link("waiting", failure.reason, now + (failure.delay or 0))
        following: list[ClientAction] = self.connect(now) if failure.delay is None else [LinkChanged()]
        failures = [Fail(id, lost(failure.reason)) for id in self._requests.disconnected()]
        documents = self._change_all(lambda document: document.disconnected())
        return [Disconnect(), *following, *failures, *documents, *self.wake()]

    def time_passed(self, now: float, jitter: float) -> list[ClientAction]:
        if self._wakes_at is not None and self._wakes_at <= now:
            self._wakes_at = None
        self._requests.time_passed(now)
        return [
            *self._send_requests(), *self._change_all(lambda document: document.time_passed(now)),
            *self._check_link(now, jitter),
        ]

    def hurried(self, now: float) -> list[ClientAction]:
        """Tries to connect at once, if the client waits before its next attempt."""
        return [*self.connect(now), *self.wake()] if self.link.state == "waiting" else []

    def _check_link(self, now: float, jitter: float) -> list[ClientAction]:
        deadline = self._link_deadline
        if deadline is None or deadline > now:
            return self.wake()
        if self.link.state == "waiting":
            return [*self.connect(now), *self.wake()]
        if self.is_online and not self._has_pinged:
            self._silent_since, self._has_pinged = now, True
            return [Send({"type": "ping"}), *self.wake()]
        return self.disconnected("the server does not answer", now, jitter)

    # Messages of the server.

    def _hello_answered(self, message: Message, now: float, jitter: float) -> list[ClientAction]:
        kind = message["type"]
        if kind == "welcome":
            if message["unit"] != "utf-32":
                return self.disconnected("the server does not count in UTF-32", now, jitter)
            self.link, self.welcome = Link("online"), message
            self._rotation.welcomed(now)
            documents = self._change_all(lambda document: document.welcomed(now))
            return [LinkChanged(), *documents, *self.send_follow(), *self._send_requests()]
        if kind == "error":
            if message["code"] in FINAL_CODES or message["code"] in self.final_reasons:
                return self.end(message["code"], refusal_of(message))
            self._note_close(message)
            return self.disconnected(refusal_of(message).message, now, jitter)
        return self._handle_bye(message) if kind == "bye" else []

    def _received_online(self, message: Message, now: float) -> list[ClientAction]:
        done: list[ClientAction] = []
        name = message["doc"] if message["type"] in STREAM else None
        for key, document in [*self.documents.items()]:
            # Most messages are about one document of many.
            if (name is None or document.name == name) and document.is_addressed(message):
                done += self.change(key, lambda document: document.received(message, now))
        return done + self._handle(message, now)

    def _handle(self, message: Message, now: float) -> list[ClientAction]:
        kind, id = message["type"], message.get("id")
        if kind == "ping":
            return [Send({"type": "pong"})]
        if kind == "bye":
            return self._handle_bye(message)
        if kind == "error":
            return self._handle_error(message, now)
        if self._follow:
            if kind == "document" or (kind == "gone" and message.get("followed")):
                return [Deliver(message)]
            if kind == "done" and id == self._follow.id:
                return [Deliver({"type": "complete"})]
        if id is None or kind == "progress" or not self._requests.complete(id):
            return []
        return [Answer(id, message), *self._send_requests()]

    def _handle_error(self, message: Message, now: float) -> list[ClientAction]:
        id = message.get("id")
        if message["code"] in CLOSING_CODES:
            self._note_close(message)
        if message["code"] == "shutting_down":
            delay = message.get("retry_after_ms", REQUEST_DELAY * 1000) / 1000
            self._requests.requeue(id, now, min(delay, LONGEST_REQUESTED_DELAY))
            return self.wake()
        if id is None or not self._requests.complete(id):
            return []
        return [Fail(id, refusal_of(message)), *self._send_requests()]

    def _handle_bye(self, message: Message) -> list[ClientAction]:
        reason = message["reason"]
        # The server may read the `hello` of an earlier connection later than that of a newer one. Then it ends the
        # wrong connection, and the client connects again.
        if (reason == "replaced" and not self._owns_id) or reason in self.final_reasons:
            return self.end(reason, CaretError(reason, "the server has ended the connection"))
        delay = message.get("retry_after_ms", 0) / 1000
        self._close_notice = (f"the server sent 'bye' with the reason {reason}", delay)
        return []

    def _note_close(self, message: Message) -> None:
        error = refusal_of(message)
        self._close_notice = (error.message, error.retry_after or 0.0)

    # Steps that several events share.

    def connect(self, now: float) -> list[ClientAction]:
        self.link = Link("connecting", self.link.reason)
        self._silent_since = now
        return [LinkChanged(), Connect(self.server)]

    def _send_requests(self) -> list[ClientAction]:
        return [*self._requests.next_to_send()] if self.is_online else []

    def send_follow(self) -> list[ClientAction]:
        if not self.is_online or self._follow is None:
            return []
        return [Deliver({"type": "restarted"}), self._follow]

    def end(self, reason: str, error: CaretError) -> list[ClientAction]:
        if self.link.state == "ended":
            return []
        self.link, self._end_error = Link("ended", reason), error
        self._follow = None
        return [
            Disconnect(), LinkChanged(), *self._change_all(lambda document: document.disconnected()),
            *(Fail(id, error) for id in self._requests.remove_all()), Ended(error),
        ]

    @property
    def deadline(self) -> float | None:
        """When the token needs a call of `time_passed`."""
        return None

    @property
    def _link_deadline(self) -> float | None:
        """When the client must ping, disconnect or connect again, if nothing arrives until then."""
        state = self.link.state
        if state in ("connecting", "greeting"):
            return self._silent_since + self._rotation.timeout
        if state == "online":
            return self._silent_since + float(max(1, self.welcome["ping"]))
        return self.link.until if state == "waiting" else None

    def wake(self) -> list[ClientAction]:
        """Schedules a call of `time_passed` for the next deadline, unless an earlier call is scheduled."""
        retries = [document.retry_at for document in self.documents.values()]
        moments = [self._link_deadline, self.deadline, self._requests.retry_at, *retries]
        deadline = min((moment for moment in moments if moment is not None), default=None)
        if deadline is None or (self._wakes_at is not None and self._wakes_at <= deadline):
            return []
        self._wakes_at = deadline
        return [WakeAt(deadline)]


def lost(reason: str | None) -> CaretError:
    """The error of a request if its connection ends before the answer comes."""
    return CaretError("disconnected", f"the connection ended first: {reason}")
