"""One open document, as a program uses it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from .actions import Changed, DocumentAction, DocumentUpdate, Renamed, RightsChanged, ShowPeers, ShowSaving, WriteEnded
from .changes import Edit, Edits, Selection, Selections, check_scalars, checked, compose
from .document_state import DocumentState
from .errors import CaretError
from .replica import Link
from .streams import Change, ChangeStream, LatestStream
from .values import OldText, time_of

if TYPE_CHECKING:
    from .client import Client

SAVING_TIME = 4.0
"""How long `close` waits for unsaved edits, in seconds."""


@dataclass(frozen=True, slots=True)
class Saving:
    """`state` is `opening`, `offline`, `sending`, `saved` or `refused`; `code` says why, if something is wrong."""

    state: str
    code: str | None = None


@dataclass(frozen=True, slots=True)
class Peer:
    """Another session that has the document open, and what it has selected."""

    session: str
    user: str
    client: str
    selections: Selections
    info: dict[str, Any]
    """What the session says about its user, such as `name` and `color`; `verified` is true if its token says it."""


class Document:
    """A document that is open in a client. Offsets count Unicode scalars, as those of a Python string do."""

    def __init__(self, client: Client, key: int, state: DocumentState) -> None:
        """Use `Client.open`."""
        self._client = client
        self.key = key
        self._state = state
        self._users = 1
        self._is_closed = False
        self._waiters: list[tuple[str, asyncio.Future[None]]] = []
        self._writes: dict[int, asyncio.Future[int]] = {}
        self._changes: WeakSet[ChangeStream] = WeakSet()
        self._peers: WeakSet[LatestStream[list[Peer]]] = WeakSet()
        self._savings: WeakSet[LatestStream[Saving]] = WeakSet()

    # What it is now.

    @property
    def name(self) -> str:
        return self._state.name

    @property
    def text(self) -> str:
        """The text with all edits of this client, saved or not."""
        return self._state.replica.draft.text

    @property
    def epoch(self) -> str | None:
        return self._state.replica.position[0] if self._state.replica.position else None

    @property
    def revision(self) -> int:
        """The newest revision that has arrived."""
        return self._state.replica.revision

    @property
    def rights(self) -> str:
        """`none`, `read` or `write`."""
        return self._state.replica.rights

    @property
    def newline(self) -> str:
        """The line breaks of the last whole text that was written: `lf` or `crlf`. The text itself always has `\\n`."""
        return self._state.newline

    @property
    def watches(self) -> bool:
        return self._state.replica.watches

    @property
    def saving(self) -> Saving:
        state, code = self._state.replica.saving
        return Saving(state, self._state.delay_code if state == "sending" else code)

    @property
    def unsaved(self) -> Edits:
        """The edits that the server has not committed. Their offsets refer to the text that the server has."""
        draft = self._state.replica.draft
        return compose(draft.in_flight, draft.unsent)

    @property
    def selections(self) -> Selections:
        """What this client has selected. It moves with every change of the text."""
        return self._state.replica.selections

    @property
    def peers(self) -> list[Peer]:
        """The other sessions, with their selections as offsets in `text`."""
        known = self._state.introductions
        return [
            Peer(session, known[session].user, known[session].client, chosen, known[session].info)
            for session, chosen in self._state.replica.peers.items() if session in known
        ]

    # What a program does.

    def edit(self, *edits: tuple[int, int, str]) -> None:
        """Replaces ranges by texts: (start, end, text) each. All offsets refer to the text before the call."""
        self._check_open()
        change = checked([Edit(*edit) for edit in edits], len(self.text))
        if change:
            self._pass(lambda state: state.typed(change))

    def append(self, text: str) -> None:
        """Adds text at the end."""
        self.edit((len(self.text), len(self.text), text))

    def select(self, *selections: tuple[int, int]) -> None:
        """Shows others what is selected: (anchor, head) each. Without arguments, nothing."""
        self._check_open()
        chosen, length = tuple(Selection(*one) for one in selections), len(self.text)
        for anchor, head in chosen:
            if not 0 <= min(anchor, head) <= max(anchor, head) <= length:
                raise CaretError("outside", f"the selection {anchor}..{head} does not fit a text of {length} scalars")
        self._pass(lambda state: state.selected(chosen))

    def snapshot(self) -> OldText:
        """The text that the server has committed, with its position: what a new text is made from."""
        self._check_open()
        epoch, revision = self._state.replica.position or ("", 0)
        return OldText(self.name, epoch, revision, self._state.replica.draft.committed, self.newline)

    async def write(self, text: str, base: OldText | int | None = None, *, exact: bool = False) -> int:
        """Saves a whole text that was made from `base`, a snapshot or a revision of the present epoch.

        The server merges it with all later changes. Returns the revision that contains it. The text of the document
        changes when the server has answered. Without `base`, it was made from `text` as it is now, which must be saved.
        With `exact`, the server refuses the text if `base` is not the newest revision.
        """
        check_scalars(text, "the text")
        epoch, newest = await self._written_from()
        if isinstance(base, OldText):
            epoch, revision = base.epoch, base.revision
        elif base is None and self._state.replica.has_unsaved:
            raise CaretError("unsaved", f"{self.name} has edits that are not saved: wait for saved(), or pass base")
        else:
            revision = newest if base is None else base
        message = {"type": "push", "epoch": epoch, "base": revision, "text": text, "exact": exact or None}
        return await self._wait_for_write(message)

    async def restore(self, revision: int) -> int:
        """Makes a new revision with the text of an old one. Returns the new revision."""
        epoch, _ = await self._written_from()
        return await self._wait_for_write({"type": "restore", "epoch": epoch, "rev": revision})

    async def _written_from(self) -> tuple[str, int]:
        await self.opened()
        position = self._state.replica.position
        assert position is not None
        return position

    async def _wait_for_write(self, message: dict[str, Any]) -> int:
        self._check_open()
        waiter = asyncio.get_running_loop().create_future()
        # The answer may come at once, for example if the document is read-only.
        self._writes[self._state.last_write + 1] = waiter
        try:
            self._pass(lambda state: state.wrote(message))
            return int(await waiter)
        finally:
            self._writes = {number: one for number, one in self._writes.items() if one is not waiter}

    def retry(self) -> None:
        """Sends refused edits again."""
        self._check_open()
        self._pass(lambda state: state.retried())

    def discard(self) -> None:
        """Drops all edits that are not saved."""
        self._check_open()
        self._pass(lambda state: state.discarded())

    async def opened(self) -> None:
        """Waits until the text has arrived. Raises a CaretError if the server does not open the document."""
        await self._wait("opened")

    async def saved(self) -> None:
        """Waits until the server has committed everything. Raises a CaretError if it refuses some edits."""
        await self._wait("saved")

    async def close(self) -> None:
        """Waits until everything is saved, but for at most 4 s. Closes the document if each `open` has its `close`."""
        self._users = max(0, self._users - 1)
        if self._state.replica.has_unsaved and not self._is_closed:
            try:
                await asyncio.wait_for(self.saved(), SAVING_TIME)
            except (CaretError, TimeoutError):
                pass  # Closing goes on, whether the edits are saved or not.
        # The program may have opened it again meanwhile.
        if self._users == 0:
            self._end()

    # Iterators.

    def changes(self) -> ChangeStream:
        """All changes of `text` from now on. A slow reader gets several changes as one."""
        stream = ChangeStream()
        self._changes.add(stream)
        self._end_streams()
        return stream

    def peer_updates(self) -> LatestStream[list[Peer]]:
        """`peers` now and after each change. A slow reader gets the latest only."""
        stream: LatestStream[list[Peer]] = LatestStream(lambda: self.peers)
        self._peers.add(stream)
        self._end_streams()
        return stream

    def saving_updates(self) -> LatestStream[Saving]:
        """`saving` now and after each change. A slow reader gets the latest only."""
        stream: LatestStream[Saving] = LatestStream(lambda: self.saving)
        self._savings.add(stream)
        self._end_streams()
        return stream

    # For the client.

    def reopen(self) -> None:
        """The program has opened the document once more."""
        self._users += 1

    def end(self) -> None:
        """The client has ended."""
        self._check_waiters()
        for waiter in self._writes.values():
            _fail(waiter, self._client.end_error or closed_error(self.name))
        self._end_streams()

    def notify(self, update: DocumentUpdate) -> None:
        """An update of the state."""
        match update:
            case Changed():
                if self._changes:
                    self._put_change(update)
            case ShowSaving() | RightsChanged() | Renamed():
                if self._savings:
                    for saving in self._savings:
                        saving.note()
                self._check_waiters()
                self._end_streams()
            case ShowPeers():
                for peers in self._peers:
                    peers.note()
            case WriteEnded(number, revision, error):
                waiter = self._writes.get(number)
                if waiter and not waiter.done():
                    waiter.set_exception(error) if error else waiter.set_result(revision)

    def _put_change(self, update: Changed) -> None:
        message = update.message or {}
        time = message.get("time")
        change = Change(
            update.edits, update.own, message.get("rev"), message.get("user"), message.get("client"),
            None if time is None else time_of(time),
        )
        for stream in self._changes:
            stream.put(change)

    def _pass(self, event: Callable[[DocumentState], Iterable[DocumentAction]]) -> None:
        self._client.change_document(self.key, lambda state: list(event(state)))

    def _check_open(self) -> None:
        if self._is_closed:
            raise closed_error(self.name)

    def _end(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self._client.close_document(self.key)
        self.end()

    # Waiting.

    async def _wait(self, goal: str) -> None:
        result = self._result(goal)
        if isinstance(result, CaretError):
            raise result
        if not result:
            waiter = asyncio.get_running_loop().create_future()
            self._waiters.append((goal, waiter))
            await waiter

    def _check_waiters(self) -> None:
        if not self._waiters:
            return
        waiting, self._waiters = self._waiters, []
        for goal, waiter in waiting:
            result = self._result(goal)
            if waiter.done():
                continue
            if isinstance(result, CaretError):
                waiter.set_exception(result)
            elif result:
                waiter.set_result(None)
            else:
                self._waiters.append((goal, waiter))

    def _result(self, goal: str) -> bool | CaretError:
        """True if a goal is reached, an error if it cannot be reached, false while the caller must wait."""
        if self._is_closed:
            return closed_error(self.name)
        replica, error = self._state.replica, self._client.end_error
        state, code = replica.saving
        if state == "refused" and (goal == "saved" or replica.position is None or replica.link is Link.CLOSED):
            return self._refused(code or "forbidden")
        if state != "opening" and goal == "opened":
            return True
        return True if state == "saved" and not replica.has_unsaved else error or False

    def _refused(self, code: str) -> CaretError:
        refusal = self._state.refusal
        if refusal and refusal.code == code:
            return refusal
        return CaretError(code, f"the server refused the edits of {self.name}")

    def _end_streams(self) -> None:
        """Ends the iterators if nothing will change any more, or only after the program has done something."""
        closed = self._state.replica.link is Link.CLOSED
        error = None if self._is_closed else self._client.end_error
        if closed and not self._is_closed:
            error = self._refused(self._state.replica.closed_code)
        if not self._is_closed and error is None:
            return
        for changes in self._changes:
            changes.end(error)
        for peers in self._peers:
            peers.end(error)
        for saving in self._savings:
            saving.end(error)


def closed_error(name: str) -> CaretError:
    return CaretError("closed", f"{name} is closed")


def _fail(waiter: asyncio.Future[int], error: CaretError) -> None:
    if not waiter.done():
        waiter.set_exception(error)
