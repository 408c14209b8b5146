"""What the tests with a real server share."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any, ClassVar

from caret_client import Client, Document, connect
from caret_client.errors import CaretError
from servers import Server

PATIENCE = 60.0
"""How long a test waits for something that must happen, in seconds. A test that passes never needs it."""


class LiveCase(unittest.IsolatedAsyncioTestCase):
    """A class of tests with one server. Each test has documents with names of its own."""

    options: ClassVar[tuple[str, ...]] = ()
    server: ClassVar[Server]

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Server(*cls.options)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.server.stop()

    async def asyncSetUp(self) -> None:
        # A slow machine is no fault, so the loop does not report slow steps.
        asyncio.get_running_loop().slow_callback_duration = PATIENCE

    async def client(self, address: str | None = None, **settings: Any) -> Client:
        """A client that is closed at the end of the test."""
        client = connect(address or self.server.address, **settings)
        client.start()
        self.addAsyncCleanup(client.close)
        return client

    async def pair(self, name: str) -> tuple[Document, Document]:
        """One document, open in two clients."""
        first = await (await self.client()).open(name, create=True)
        return first, await (await self.client()).open(name)

    async def assertFails(self, code: str, call: Any) -> CaretError:
        with self.assertRaises(CaretError) as failure:
            await asyncio.wait_for(call, PATIENCE)
        self.assertEqual(failure.exception.code, code, failure.exception)
        return failure.exception

    async def become(self, document: Document, text: str) -> None:
        """Waits until the text of a document is this one."""
        changes = document.changes()
        while document.text != text:
            await asyncio.wait_for(anext(changes), PATIENCE)


async def cut(client: Client) -> None:
    """Cuts the connection of a client as a failing network does, and lets it connect again at once."""
    transport: Any = client._transport
    if transport and transport._transport:
        transport._transport.abort()
        while client._transport is transport:
            await asyncio.sleep(0)
    client.reconnect()
