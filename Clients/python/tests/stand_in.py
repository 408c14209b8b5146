"""A transport without a socket: a test plays the server."""

from __future__ import annotations

import json
from typing import Any
from unittest import mock

from caret_client.address import Address
from caret_client.client import Client
from caret_client.connection import ConnectionEvents, Transport
from caret_client.wire import Message, decode

WELCOME: Message = {
    "type": "welcome", "protocol": 1, "unit": "utf-32", "server": "caret/test", "user": "ann", "limits": {}, "ping": 20,
}


class StandIn:
    """Makes transports for a client, and notes what it does."""

    def __init__(self) -> None:
        self.connected: list[str] = []
        self.sent: list[Message] = []
        self.events: ConnectionEvents | None = None

    def client(self, *servers: str, **settings: Any) -> Client:
        addresses = [Address(name) for name in servers or ("a",)]
        return Client(addresses, transport=self.connect, **settings)

    def connect(self, address: Address, events: ConnectionEvents) -> Transport:
        self.connected.append(address.name)
        self.events = events
        return StandInTransport(self)

    def receive(self, message: Message) -> None:
        """The server has sent this message."""
        assert self.events
        self.events.received(decode(json.dumps(message).encode()))

    def welcome(self, **fields: Any) -> None:
        """The attempt to connect succeeds, and the server welcomes the client."""
        assert self.events
        self.events.opened()
        self.receive({**WELCOME, **fields})

    def take(self) -> list[Message]:
        """What the client has sent since the last call."""
        sent, self.sent = self.sent, []
        return sent


class StandInTransport:
    def __init__(self, server: StandIn) -> None:
        self._server = server

    def send(self, line: bytes, key: object = None) -> None:
        self._server.sent.append(json.loads(line))

    def limit_lines(self, limit: int) -> None:
        pass

    def close(self) -> None:
        pass


def no_jitter() -> Any:
    """In this context, random numbers are 0, so each delay is half of the longest one."""
    return mock.patch("caret_client.client.random.random", return_value=0.0)
