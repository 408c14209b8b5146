"""A client: it connects, connects again, sends what its state says, and passes on what arrives."""

from __future__ import annotations

import asyncio
import random
import re
import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator, Sequence
from dataclasses import replace
from typing import Any, Union
from weakref import WeakKeyDictionary, WeakSet

from . import actions
from .actions import ClientAction, DocumentAction
from .address import Address, parse_address
from .api import Requests
from .client_state import ClientState, Link
from .connection import ConnectionEvents, SocketTransport, Transport
from .document import Document
from .document_state import DocumentState
from .errors import CaretError
from .streams import EventStream, LatestStream
from .token_state import TokenClientState
from .values import DocumentEvent, document_event
from .wire import DEFAULT_DOCUMENT_BYTES, Message, encode, longest_line

Token = Union[str, Callable[[], Awaitable[Union[str, None]]], None]
"""A token, or a function that fetches one each time that the client needs it; its answer None means signed out."""

DEFAULT_LINE_BYTES = 25 * 1024 * 1024
"""How long a line of a client may be, if the server does not say."""


class Client(Requests):
    """A connection to a server, or to one of several servers over one database. It connects again by itself."""

    def __init__(
        self, servers: Sequence[Address], token: Token = None, info: Message | None = None, client: str | None = None,
        transport: Callable[[Address, ConnectionEvents], Transport] = SocketTransport,
    ) -> None:
        """Use `connect`."""
        super().__init__()
        self._servers = servers
        names = [server.name for server in servers]
        id, owns_id = client or secrets.token_hex(16), client is None
        self._fetch = token if callable(token) else None
        if callable(token):
            self._state: ClientState = TokenClientState(names, id, info, owns_id)
        else:
            self._state = ClientState(names, id, token, info, owns_id)
        self._make_transport = transport
        self._transport: Transport | None = None
        self._queue: deque[ClientAction] = deque()
        self._is_running = False
        self._documents: dict[int, Document] = {}
        self._answers: dict[int, asyncio.Future[Message]] = {}
        self._followers: WeakKeyDictionary[EventStream[DocumentEvent], str] = WeakKeyDictionary()
        """The prefix of each iterator that the program still has."""
        self._links: WeakSet[LatestStream[Link]] = WeakSet()
        self._tasks: set[asyncio.Task[None]] = set()
        self._alarm: asyncio.TimerHandle | None = None
        self.end_error: CaretError | None = None
        """Why the client has ended; None before that."""

    # Its life.

    def start(self) -> None:
        """Begins to connect, and does not wait for the connection."""
        self._pass(self._state.started(self._now))

    async def close(self) -> None:
        """Waits until everything is saved, but for at most 4 s, and ends the connection."""
        await asyncio.gather(*(document.close() for document in [*self._documents.values()]))
        self._pass(self._state.closed(self._now))

    async def __aenter__(self) -> Client:
        self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __await__(self) -> Generator[Any, None, Client]:
        return self.__aenter__().__await__()

    # What it knows.

    @property
    def link(self) -> Link:
        """Whether the client is connected: `connecting`, `online`, `waiting` or `ended`."""
        link = self._state.link
        return replace(link, state="connecting") if link.state in ("idle", "asking", "greeting") else link

    @property
    def server(self) -> str:
        """The server that the client is connected to, or tries next."""
        return self._servers[self._state.server].name

    @property
    def user(self) -> str | None:
        """The user as the server names them. None until the server has answered."""
        name = self._state.welcome.get("user")
        return None if name is None else str(name)

    @property
    def welcome(self) -> Message:
        """The last `welcome` of the server: `limits`, `rights`, `grants`, `features` and more."""
        return dict(self._state.welcome)

    async def online(self) -> None:
        """Waits until the server has welcomed the client. Raises a CaretError if the client ends."""
        async for link in self.links():
            if link.state == "online":
                return

    def links(self) -> LatestStream[Link]:
        """`link` now and after each change. A slow reader gets the latest only."""
        stream: LatestStream[Link] = LatestStream(lambda: self.link)
        self._links.add(stream)
        if self.end_error:
            stream.end(self.end_error)
        return stream

    def reconnect(self) -> None:
        """Tries to connect at once, if the client waits before its next attempt."""
        self._pass(self._state.hurried(self._now))

    # Documents.

    async def open(self, name: str, *, create: bool = False, watch: bool = False) -> Document:
        """Opens a document, and waits until its text has arrived. Each `open` needs a `close` of the document."""
        document = self.opening(name, create=create, watch=watch)
        try:
            await document.opened()
        except BaseException:
            await document.close()
            raise
        return document

    def opening(self, name: str, *, create: bool = False, watch: bool = False) -> Document:
        """The same without waiting. The document can be edited at once."""
        if self.end_error:
            raise self.end_error
        document = self.find(name)
        if document is None:
            key, done = self._state.opened(name, create, watch, self._now)
            document = self._documents[key] = Document(self, key, self._state.documents[key])
            self._pass(done)
        elif document.watches != watch:
            raise CaretError("already_open", f"{name} is open in the other mode; close it first")
        else:
            document.reopen()
            if create:
                self.change_document(document.key, lambda state: state.created())
        return document

    def find(self, name: str) -> Document | None:
        return next((one for one in self._documents.values() if one.name == name), None)

    def follow(self, prefix: str = "") -> EventStream[DocumentEvent]:
        """The documents whose names begin with `prefix`: at first all that exist, then each that changes.

        A slow reader gets the latest event about each document. Call `unfollow` with the iterator to end it.
        """
        stream: EventStream[DocumentEvent] = EventStream()
        if self.end_error:
            stream.end(self.end_error)
            return stream
        self._followers[stream] = prefix
        self._follow_again()
        return stream

    def unfollow(self, stream: EventStream[DocumentEvent]) -> None:
        """Ends an iterator of `follow`."""
        self._followers.pop(stream, None)
        stream.end(None)
        self._follow_again()

    def _follow_again(self) -> None:
        # The server knows one prefix for each connection: the one that all followers share.
        prefixes = [*self._followers.values()]
        self._pass(self._state.followed(_common_prefix(prefixes) if prefixes else None))

    def _deliver(self, event: Message) -> None:
        item = document_event(event)
        for stream, prefix in self._followers.items():
            if item.name is None or item.name.startswith(prefix):
                stream.put(item.name or item.kind, item)

    # Requests.

    async def request(self, message: Message) -> Message:
        id, done = self._state.requested(message)
        answer: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._answers[id] = answer
        self._pass(done)
        try:
            return await answer
        finally:
            self._answers.pop(id, None)

    # For documents.

    def change_document(self, key: int, event: Callable[[DocumentState], list[DocumentAction]]) -> None:
        self._pass(self._state.change(key, event))

    def close_document(self, key: int) -> None:
        self._documents.pop(key, None)
        self.last_seq = max(self.last_seq, self._state.documents[key].replica.next_seq)
        self._pass(self._state.closed_document(key))

    # Events of the connection and the clock.

    def _events(self) -> _Events:
        return _Events(self)

    @property
    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def handle(self, event: Callable[[ClientState, float, float], list[ClientAction]]) -> None:
        """Passes an event of the connection to the state."""
        self._pass(event(self._state, self._now, random.random()))

    def _wake(self) -> None:
        self._alarm = None
        self.handle(lambda state, now, jitter: state.time_passed(now, jitter))

    # Actions.

    def _pass(self, done: list[ClientAction]) -> None:
        """Runs the actions of an event, in order."""
        self._queue.extend(done)
        if self._is_running:
            return
        self._is_running = True
        try:
            while self._queue:
                self._run(self._queue.popleft())
        finally:
            self._is_running = False

    def _run(self, action: ClientAction) -> None:
        match action:
            case actions.Send():
                self._send(action)
            case actions.Update(key, update):
                if key in self._documents:
                    self._documents[key].notify(update)
            case actions.WakeAt(moment):
                if self._alarm:
                    self._alarm.cancel()
                self._alarm = asyncio.get_running_loop().call_at(moment, self._wake)
            case actions.Answer(id, message):
                self._answer(id, lambda waiter: waiter.set_result(message))
            case actions.Fail(id, error):
                self._answer(id, lambda waiter: waiter.set_exception(error))
            case actions.Deliver(event):
                self._deliver(event)
            case actions.Connect(server):
                self._transport = self._make_transport(self._servers[server], self._events())
            case actions.Disconnect():
                self._disconnect()
            case actions.LinkChanged():
                self._link_changed()
            case actions.AskForToken(call):
                self._start(self._fetch_token(call))
            case actions.Ended(error):
                self._ended(error)

    def _send(self, action: actions.Send) -> None:
        message = action.message
        line = encode(message, action.id)
        limit = self._state.welcome.get("limits", {}).get("line", DEFAULT_LINE_BYTES)
        if len(line) > limit:
            self._queue.extendleft(reversed(self._state.line_too_long(action, limit)))
        elif self._transport:
            # While the server reads nothing, only the latest selections of a document wait.
            self._transport.send(line, ("select", message["doc"]) if message["type"] == "select" else None)

    def _answer(self, id: int, settle: Callable[[asyncio.Future[Message]], None]) -> None:
        waiter = self._answers.get(id)
        if waiter and not waiter.done():
            settle(waiter)

    def _disconnect(self) -> None:
        transport, self._transport = self._transport, None
        if transport:
            transport.close()

    def _link_changed(self) -> None:
        if self.link.state == "online" and self._transport:
            document = self._state.welcome["limits"].get("document", DEFAULT_DOCUMENT_BYTES)
            self._transport.limit_lines(longest_line(document))
        for stream in self._links:
            stream.note()

    def _ended(self, error: CaretError) -> None:
        self.end_error = error
        if self._alarm:
            self._alarm.cancel()
        for document in [*self._documents.values()]:
            document.end()
        for follower in self._followers:
            follower.end(error)
        for stream in self._links:
            stream.end(error)
        for task in self._tasks:
            task.cancel()

    # The token function.

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _fetch_token(self, call: int) -> None:
        assert self._fetch is not None and isinstance(self._state, TokenClientState)
        state = self._state
        try:
            token = await self._fetch()
            if token is not None and not isinstance(token, str):
                raise TypeError(f"its answer is a {type(token).__name__}, and not a str or None")
        except Exception as error:
            reason = f"the token function has failed: {_without_tokens(str(error) or type(error).__name__)}"
            self._pass(state.token_failed(reason, call, self._now, random.random()))
        else:
            self._pass(state.token_arrived(token, call, self._now, random.random()))


class _Events:
    """Passes on the events of one transport, until the client has another one."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def opened(self) -> None:
        self._client.handle(lambda state, now, _: state.connected(now))

    def received(self, message: Message) -> None:
        self._client.handle(lambda state, now, jitter: state.received(message, now, jitter))

    def progressed(self) -> None:
        self._client.handle(lambda state, now, _: state.progressed(now))

    def closed(self, reason: str) -> None:
        self._client.handle(lambda state, now, jitter: state.disconnected(reason, now, jitter))


def connect(
    *servers: str, token: Token = None, name: str | None = None, color: str | None = None, client: str | None = None,
    shuffle: bool = True,
) -> Client:
    """A client of a server, or of several servers over one database. Use it with `async with`, or `await` it.

    `name` and `color` are what others see of the user. `client` is the secret id of a program that keeps one: at least
    8 characters. With `shuffle`, the client tries several servers in a random order, so that clients spread.
    """
    addresses = [parse_address(server) for server in servers or ("127.0.0.1",)]
    if shuffle:
        random.shuffle(addresses)
    info = {key: value for key, value in (("name", name), ("color", color)) if value is not None}
    return Client(addresses, token, info, client)


def _common_prefix(prefixes: list[str]) -> str:
    least, greatest = min(prefixes), max(prefixes)
    count = 0
    while count < len(least) and least[count] == greatest[count]:
        count += 1
    return least[:count]


def _without_tokens(sentence: str) -> str:
    """The sentence without anything that looks like a token, because a program may write it to a log."""
    return re.sub(r"\b(ey[\w-]+\.[\w.-]+|caret_\w+)", "…", sentence)
