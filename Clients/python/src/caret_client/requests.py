"""The requests of a client that have no answer yet. Some were sent, the others wait to be sent."""

from __future__ import annotations

from .actions import Send
from .protocol import REPEATABLE_REQUESTS
from .wire import Message

MOST_IN_FLIGHT = 16
"""How many requests are in flight at once. The server answers them one after the other."""
MOST_UNANSWERED = 10_000
"""How many requests may have no answer. A client that is offline keeps them until it connects again."""


class PendingRequests:
    """Law: every request leaves exactly once, by `complete`, by `disconnected` or by `remove_all`."""

    def __init__(self) -> None:
        self._waiting: dict[int, Message] = {}
        self._sent: dict[int, Message] = {}
        """In the order in which they were sent."""
        self.retry_at: float | None = None
        """When requests are sent again that the server has refused for a while."""

    def add(self, id: int, message: Message) -> bool:
        """Returns false, and adds nothing, if the limit is reached."""
        if len(self._waiting) + len(self._sent) >= MOST_UNANSWERED:
            return False
        self._waiting[id] = message
        return True

    def next_to_send(self) -> list[Send]:
        """Moves requests from waiting to sent."""
        if self.retry_at is not None or not self._waiting:
            return []
        room = max(0, MOST_IN_FLIGHT - len(self._sent))
        ids = list(self._waiting)[:room]
        for id in ids:
            self._sent[id] = self._waiting.pop(id)
        return [Send(self._sent[id], id) for id in ids]

    def complete(self, id: object) -> bool:
        """Removes a sent request, because it has its answer. Returns false if there is none with this id."""
        return isinstance(id, int) and self._sent.pop(id, None) is not None

    def requeue(self, id: object, now: float, delay: float) -> None:
        """The server did not carry out this request. Nothing is sent before the delay has passed."""
        message = self._sent.pop(id, None) if isinstance(id, int) else None
        if message is None or not isinstance(id, int):
            return
        self._wait({id: message})
        if self.retry_at is None:
            self.retry_at = now + delay

    def time_passed(self, now: float) -> None:
        if self.retry_at is not None and self.retry_at <= now:
            self.retry_at = None

    def disconnected(self) -> list[int]:
        """The ids of the requests that must fail: the server may have carried them out. The others wait again."""
        lost = [id for id, message in self._sent.items() if message["type"] not in REPEATABLE_REQUESTS]
        self._wait({id: message for id, message in self._sent.items() if id not in lost})
        self._sent, self.retry_at = {}, None
        return lost

    def remove_all(self) -> list[int]:
        ids = [*self._sent, *self._waiting]
        self._sent, self._waiting = {}, {}
        return ids

    def _wait(self, requests: dict[int, Message]) -> None:
        """Requests wait in the order in which the program has made them."""
        self._waiting = dict(sorted({**requests, **self._waiting}.items()))
