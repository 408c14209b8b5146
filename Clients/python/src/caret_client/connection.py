"""The connection of a client: one socket after the other. It decides nothing."""

from __future__ import annotations

import asyncio
from typing import Protocol

from .address import Address
from .wire import InvalidLine, LineReader, Message, decode

PROGRESS_BYTES = 64 * 1024
"""A part of a line that is so large shows that the server is alive."""
CLOSING_TIME = 1.0
"""How long a closed connection may need to send what it still has, in seconds."""


class ConnectionEvents(Protocol):
    """What a connection reports."""

    def opened(self) -> None: ...
    def received(self, message: Message) -> None: ...
    def progressed(self) -> None: ...
    def closed(self, reason: str) -> None: ...


class Transport(Protocol):
    """One attempt to connect, and the connection if it succeeds."""

    def send(self, line: bytes, key: object = None) -> None: ...
    def limit_lines(self, limit: int) -> None: ...
    def close(self) -> None: ...


class SocketTransport(asyncio.Protocol):
    """A TCP, TLS or Unix socket. It begins to connect at once."""

    def __init__(self, address: Address, events: ConnectionEvents) -> None:
        self._address = address
        self._events = events
        self._reader = LineReader()
        self._transport: asyncio.Transport | None = None
        self._outgoing: dict[object, bytes] = {}
        """The lines that wait to be sent, in their order. A line replaces an earlier one with the same key."""
        self._is_paused = False
        self._is_flushing = False
        self._is_closed = False
        self._progress = 0
        self._task = asyncio.get_running_loop().create_task(self._connect())

    async def _connect(self) -> None:
        loop, address = asyncio.get_running_loop(), self._address
        try:
            if address.path:
                await loop.create_unix_connection(lambda: self, address.path)
            elif address.is_secure:
                # The certificates of the system are a large file.
                context = await asyncio.to_thread(address.context)
                await loop.create_connection(lambda: self, address.host, address.port, ssl=context)
            else:
                await loop.create_connection(lambda: self, address.host, address.port)
        except Exception as error:
            self._end(f"cannot connect to {address.name}: {error}")

    # What the client does.

    def send(self, line: bytes, key: object = None) -> None:
        """Sends a line after the others of this turn of the loop."""
        if key is not None:
            self._outgoing.pop(key, None)
        self._outgoing[object() if key is None else key] = line
        if not self._is_flushing:
            self._is_flushing = True
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        self._is_flushing = False
        if self._transport is None or self._is_paused or not self._outgoing:
            return
        lines = [*self._outgoing.values(), b""]
        self._outgoing = {}
        self._transport.write(b"\n".join(lines))

    def limit_lines(self, limit: int) -> None:
        """How long a line of the server may be from now on."""
        self._reader.limit = limit

    def close(self) -> None:
        """Ends the connection. It reports nothing any more."""
        self._is_closed = True
        if self._transport is None:
            self._task.cancel()
            return
        self._is_paused = False
        self._flush()
        self._transport.close()
        asyncio.get_running_loop().call_later(CLOSING_TIME, self._transport.abort)

    # What asyncio reports.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if self._is_closed:
            return transport.abort()
        certificate = transport.get_extra_info("ssl_object")
        if certificate and not self._address.trusts(certificate.getpeercert(binary_form=True)):
            transport.abort()
            return self._end("the certificate of the server is not the pinned one")
        self._events.opened()

    def data_received(self, data: bytes) -> None:
        try:
            lines = self._reader.feed(data)
            for line in lines:
                if self._is_closed:
                    return
                self._events.received(decode(line))
        except InvalidLine as error:
            return self._end(f"the server sent something invalid: {error}")
        self._note_progress()

    def _note_progress(self) -> None:
        waiting = self._reader.waiting
        if waiting < self._progress:
            self._progress = 0
        if waiting - self._progress >= PROGRESS_BYTES and not self._is_closed:
            self._progress = waiting
            self._events.progressed()

    def pause_writing(self) -> None:
        self._is_paused = True

    def resume_writing(self) -> None:
        self._is_paused = False
        self._flush()

    def connection_lost(self, error: Exception | None) -> None:
        self._end("the server has closed the connection" if error is None else f"the connection has ended: {error}")

    def _end(self, reason: str) -> None:
        if not self._is_closed:
            self._is_closed = True
            if self._transport:
                self._transport.abort()
            self._events.closed(reason)
