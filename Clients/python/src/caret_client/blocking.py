"""The same calls for programs without asyncio: each waits for its answer.

    with caret_client.blocking.connect("caret://127.0.0.1") as client:
        document = client.open("agenda", create=True)
        document.append("Bring a pen.\\n")
        document.saved()

The client runs in a thread of its own. All calls are safe from any thread; a call must not come from that thread.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from datetime import datetime
from types import TracebackType
from typing import TypeVar

from . import client as asynchronous
from .changes import Edit, Edits, Selections
from .client import Token
from .client_state import Link
from .document import Document as AsyncDocument
from .document import Peer, Saving
from .errors import CaretError
from .streams import Change
from .values import (
    BlamedLines, DeletedDocument, DocumentEvent, DocumentInfo, DocumentLink, NoteList, OldText, Revision, Tag,
)
from .wire import Message

T = TypeVar("T")
Tags = list[Tag]
Grants = list[dict[str, str]]
Documents = list[DocumentInfo]


class _Thread:
    """A thread with a loop. It ends with `stop`, and with the process."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="caret client", daemon=True)
        self._thread.start()

    @property
    def has_ended(self) -> bool:
        return self._loop.is_closed()

    def wait(self, work: Callable[[], Awaitable[T]], timeout: float | None = None) -> T:
        """Runs a coroutine function in the thread. Raises TimeoutError, and cancels it, after so many seconds."""
        if self.has_ended:
            raise CaretError("closed", "the client is closed")

        async def run() -> T:
            async with asyncio.timeout(timeout):
                return await work()

        future = asyncio.run_coroutine_threadsafe(run(), self._loop)
        try:
            return future.result()
        except BaseException:
            # For example, the user has pressed Ctrl-C.
            future.cancel()
            raise

    def call(self, work: Callable[[], T]) -> T:
        """Runs a function in the thread."""
        async def run() -> T:
            return work()

        return self.wait(run)

    def iterate(self, make: Callable[[], AsyncIterator[T]]) -> Iterator[T]:
        """The items of an iterator, which begins now."""
        items = self.call(make)
        return self._items(items)

    def _items(self, items: AsyncIterator[T]) -> Iterator[T]:
        while True:
            try:
                yield self.wait(items.__anext__)
            except StopAsyncIteration:
                return

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class Document:
    """An open document, as caret_client.Document."""

    def __init__(self, thread: _Thread, document: AsyncDocument) -> None:
        """Use `Client.open`."""
        self._thread = thread
        self._document = document

    @property
    def name(self) -> str:
        return self._thread.call(lambda: self._document.name)

    @property
    def text(self) -> str:
        return self._thread.call(lambda: self._document.text)

    @property
    def revision(self) -> int:
        return self._thread.call(lambda: self._document.revision)

    @property
    def rights(self) -> str:
        return self._thread.call(lambda: self._document.rights)

    @property
    def newline(self) -> str:
        return self._thread.call(lambda: self._document.newline)

    @property
    def saving(self) -> Saving:
        return self._thread.call(lambda: self._document.saving)

    @property
    def unsaved(self) -> Edits:
        return self._thread.call(lambda: self._document.unsaved)

    @property
    def selections(self) -> Selections:
        return self._thread.call(lambda: self._document.selections)

    @property
    def peers(self) -> list[Peer]:
        return self._thread.call(lambda: self._document.peers)

    def edit(self, *edits: tuple[int, int, str]) -> None:
        self._thread.call(lambda: self._document.edit(*edits))

    def append(self, text: str) -> None:
        self._thread.call(lambda: self._document.append(text))

    def select(self, *selections: tuple[int, int]) -> None:
        self._thread.call(lambda: self._document.select(*selections))

    def snapshot(self) -> OldText:
        return self._thread.call(self._document.snapshot)

    def write(self, text: str, base: OldText | int | None = None, *, exact: bool = False) -> int:
        return self._thread.wait(lambda: self._document.write(text, base, exact=exact))

    def restore(self, revision: int) -> int:
        return self._thread.wait(lambda: self._document.restore(revision))

    def saved(self, timeout: float | None = None) -> None:
        """As Document.saved. Raises TimeoutError after so many seconds."""
        self._thread.wait(self._document.saved, timeout)

    def retry(self) -> None:
        self._thread.call(self._document.retry)

    def discard(self) -> None:
        self._thread.call(self._document.discard)

    def close(self) -> None:
        self._thread.wait(self._document.close)

    def changes(self) -> Iterator[Change]:
        """All changes from now on. The iterator waits for the next one."""
        return self._thread.iterate(self._document.changes)


class Client:
    """A connection to a server, as caret_client.Client."""

    def __init__(self, client: asynchronous.Client, thread: _Thread) -> None:
        """Use `connect`."""
        self._thread = thread
        self._client = client
        thread.call(client.start)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Waits until everything is saved, but for at most 4 s, and ends the connection and its thread."""
        if not self._thread.has_ended:
            self._thread.wait(self._client.close)
            self._thread.stop()

    @property
    def link(self) -> Link:
        return self._thread.call(lambda: self._client.link)

    @property
    def user(self) -> str | None:
        return self._thread.call(lambda: self._client.user)

    def online(self, timeout: float | None = None) -> None:
        """As Client.online. Raises TimeoutError after so many seconds."""
        self._thread.wait(self._client.online, timeout)

    def open(self, name: str, *, create: bool = False, watch: bool = False, timeout: float | None = None) -> Document:
        """As Client.open. Raises TimeoutError after so many seconds."""
        document = self._thread.wait(lambda: self._client.open(name, create=create, watch=watch), timeout)
        return Document(self._thread, document)

    def follow(self, prefix: str = "") -> Iterator[DocumentEvent]:
        return self._thread.iterate(lambda: self._client.follow(prefix))

    def request(self, message: Message) -> Message:
        return self._thread.wait(lambda: self._client.request(message))

    def list(self, prefix: str = "", after: str = "", limit: int = 100) -> Documents:
        return self._thread.wait(lambda: self._client.list(prefix, after, limit))

    def documents(self, prefix: str = "") -> Iterator[DocumentInfo]:
        return self._thread.iterate(lambda: self._client.documents(prefix))

    def create(self, name: str, text: str = "") -> None:
        self._thread.wait(lambda: self._client.create(name, text))

    def delete(self, name: str) -> None:
        self._thread.wait(lambda: self._client.delete(name))

    def deleted(self, prefix: str = "") -> Iterator[DeletedDocument]:
        return self._thread.iterate(lambda: self._client.deleted(prefix))

    def undelete(self, number: int) -> None:
        self._thread.wait(lambda: self._client.undelete(number))

    def rename(self, name: str, to: str) -> None:
        self._thread.wait(lambda: self._client.rename(name, to))

    def copy(self, name: str, to: str) -> None:
        self._thread.wait(lambda: self._client.copy(name, to))

    def add_link(self, name: str, rights: str, seconds: int) -> tuple[int, str]:
        return self._thread.wait(lambda: self._client.add_link(name, rights, seconds))

    def links_to(self, name: str) -> Iterator[DocumentLink]:
        return self._thread.iterate(lambda: self._client.links_to(name))

    def end_link(self, name: str, number: int) -> None:
        self._thread.wait(lambda: self._client.end_link(name, number))

    def read(self, name: str, revision: int | None = None, at: datetime | None = None) -> OldText:
        return self._thread.wait(lambda: self._client.read(name, revision, at))

    def write(
        self, name: str, text: str, base: OldText | None = None, *, create: bool = False, exact: bool = False,
    ) -> int:
        return self._thread.wait(lambda: self._client.write(name, text, base, create=create, exact=exact))

    def restore(self, name: str, revision: int) -> int:
        return self._thread.wait(lambda: self._client.restore(name, revision))

    def history(self, name: str, after: int | None = None, *, edits: bool = False) -> Iterator[Revision]:
        return self._thread.iterate(lambda: self._client.history(name, after, edits=edits))

    def blame(self, name: str, revision: int | None = None) -> Iterator[BlamedLines]:
        return self._thread.iterate(lambda: self._client.blame(name, revision))

    def notes(self, name: str, since: int = 0) -> NoteList:
        return self._thread.wait(lambda: self._client.notes(name, since))

    def add_note(
        self, name: str, text: str, range: tuple[int, int] | None = None, revision: int | None = None,
    ) -> int:
        return self._thread.wait(lambda: self._client.add_note(name, text, range, revision))

    def suggest(self, name: str, edits: Iterable[Edit], revision: int, text: str = "") -> int:
        return self._thread.wait(lambda: self._client.suggest(name, edits, revision, text))

    def answer_note(self, name: str, number: int, text: str) -> int:
        return self._thread.wait(lambda: self._client.answer_note(name, number, text))

    def change_note(self, name: str, number: int, version: int, text: str) -> int:
        return self._thread.wait(lambda: self._client.change_note(name, number, version, text))

    def set_note(self, name: str, number: int, version: int, state: str) -> int:
        return self._thread.wait(lambda: self._client.set_note(name, number, version, state))

    def accept_note(self, name: str, number: int, version: int) -> int | None:
        return self._thread.wait(lambda: self._client.accept_note(name, number, version))

    def remove_note(self, name: str, number: int, version: int) -> None:
        self._thread.wait(lambda: self._client.remove_note(name, number, version))

    def tags(self, name: str) -> Tags:
        return self._thread.wait(lambda: self._client.tags(name))

    def tag(self, name: str, revision: int, tag: str) -> None:
        self._thread.wait(lambda: self._client.tag(name, revision, tag))

    def untag(self, name: str, tag: str) -> None:
        self._thread.wait(lambda: self._client.untag(name, tag))

    def add_token(self, user: str, grants: Grants, expires: datetime | None = None) -> tuple[int, str]:
        return self._thread.wait(lambda: self._client.add_token(user, grants, expires))

    def revoke_token(self, number: int) -> None:
        self._thread.wait(lambda: self._client.revoke_token(number))

    def sign_out(self, user: str | None = None, jti: str | None = None, before: datetime | None = None) -> None:
        self._thread.wait(lambda: self._client.sign_out(user, jti, before))


def connect(
    *servers: str, token: Token = None, name: str | None = None, color: str | None = None, client: str | None = None,
    shuffle: bool = True,
) -> Client:
    """A client as that of caret_client.connect. It begins to connect at once."""
    made = asynchronous.connect(*servers, token=token, name=name, color=color, client=client, shuffle=shuffle)
    return Client(made, _Thread())
