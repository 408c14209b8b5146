"""Iterators over changes, latest values and events. Each has a bound, so a slow reader does not fill the memory."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from .changes import Edits, compose_all
from .errors import CaretError

MOST_CHANGES = 1_000
"""When so many changes wait for a reader, they become one change."""
MOST_WAITING_TEXT = 1_000_000
"""So they do when the letters of waiting changes are more than this and twice the last joined change."""
MOST_EVENTS = 10_000
"""When the events of more documents wait for a follower, its iterator ends with the code `too_slow`."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Change:
    """What has changed in the text that the program sees. All offsets refer to the text before this change."""

    edits: Edits
    own: bool
    """Whether a call of this client made the change. False if others made a part of it."""
    revision: int | None = None
    """The revision, if this is one change of somebody else."""
    user: str | None = None
    client: str | None = None
    time: datetime | None = None


class Stream(AsyncIterator[T]):
    """An iterator that waits for its next item. A subclass says what waits."""

    def __init__(self) -> None:
        self.has_ended = False
        self._waiter: asyncio.Future[None] | None = None
        self._end: CaretError | None = None

    def __aiter__(self) -> Stream[T]:
        return self

    async def __anext__(self) -> T:
        while not self.has_item():
            if self.has_ended:
                if self._end:
                    raise self._end
                raise StopAsyncIteration
            if self._waiter is not None:
                raise CaretError("malformed", "another task already waits for this iterator")
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        return self.pop()

    def has_item(self) -> bool:
        raise NotImplementedError

    def pop(self) -> T:
        raise NotImplementedError

    def wake(self) -> None:
        if self._waiter and not self._waiter.done():
            self._waiter.set_result(None)

    def end(self, error: CaretError | None) -> None:
        """Ends the iterator after the items that wait: with this error, or quietly."""
        self.has_ended, self._end = True, error
        self.wake()


class ChangeStream(Stream[Change]):
    """Law: a view that begins with the text at the call and applies all changes in order shows the text again."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: deque[Change] = deque()
        self._size = 0
        self._most = MOST_WAITING_TEXT

    def put(self, change: Change) -> None:
        if self.has_ended:
            return
        self._waiting.append(change)
        self._size += _size(change)
        if len(self._waiting) >= MOST_CHANGES or self._size > self._most:
            self._join()
        self.wake()

    def _join(self) -> None:
        edits = compose_all([one.edits for one in self._waiting])
        joined = Change(edits, all(one.own for one in self._waiting))
        self._waiting, self._size = deque([joined]), _size(joined)
        # A joined change has no more letters than the text, so this is a bound too.
        self._most = MOST_WAITING_TEXT + 2 * self._size

    def has_item(self) -> bool:
        return bool(self._waiting)

    def pop(self) -> Change:
        change = self._waiting.popleft()
        self._size -= _size(change)
        return change


def _size(change: Change) -> int:
    return sum(len(edit.text) for edit in change.edits)


class LatestStream(Stream[T], Generic[T]):
    """Yields the current value, and then the latest one after each change."""

    def __init__(self, read: Callable[[], T]) -> None:
        super().__init__()
        self._read = read
        self._has_changed = True

    def note(self) -> None:
        self._has_changed = True
        self.wake()

    def has_item(self) -> bool:
        return self._has_changed

    def pop(self) -> T:
        self._has_changed = False
        return self._read()


class EventStream(Stream[T], Generic[T]):
    """Yields the latest event about each key."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: dict[object, T] = {}

    def put(self, key: object, event: T) -> None:
        if self.has_ended:
            return
        if key in self._waiting:
            del self._waiting[key]
        self._waiting[key] = event
        if len(self._waiting) > MOST_EVENTS:
            self._waiting.clear()
            self.end(CaretError("too_slow", f"events of more than {MOST_EVENTS} documents waited for their reader"))
        self.wake()

    def has_item(self) -> bool:
        return bool(self._waiting)

    def pop(self) -> T:
        return self._waiting.pop(next(iter(self._waiting)))
