"""Random clients of a real server. Whatever they do, all texts are equal in the end, and equal to the server's."""

from __future__ import annotations

import asyncio
import os
import unittest
from typing import Any

import support  # First, because it says where the package is.
from caret_client import CaretError, Client, Document, Edit, connect
from caret_client.changes import apply, compose, normal, rebase
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from live_case import PATIENCE, cut
from servers import Server

FULL = os.environ.get("CARET_FULL") == "1"

texts = st.text(st.sampled_from("ab😀é\n"), max_size=6)
places = st.floats(0, 1)
steps = st.tuples(
    st.integers(0, 2),
    st.one_of(
        st.tuples(st.just("edit"), st.lists(st.tuples(places, places, texts), min_size=1, max_size=3)),
        st.tuples(st.just("write"), st.floats(0, 1), texts),
        st.tuples(st.just("select"), st.floats(0, 1), st.floats(0, 1)),
        st.tuples(st.just("cut")),
        st.tuples(st.just("kill")),
        st.tuples(st.just("saved")),
        st.tuples(st.just("turns"), st.integers(1, 20)),
    ),
)


class RandomClients:
    """Three clients with one document."""

    def __init__(self, server: Server, clients: list[Client], documents: list[Document]) -> None:
        self.server, self.clients, self.documents = server, clients, documents
        self.kills = 2 if FULL else 1  # A server needs a moment to start again.
        self.views = [document.text for document in documents]
        self.changes = [document.changes() for document in documents]
        self.writes: list[asyncio.Task[int]] = []

    async def happen(self, index: int, step: Any) -> None:
        document, kind = self.documents[index], step[0]
        if kind == "edit":
            document.edit(*edits_in(document.text, step[1]))
        elif kind == "write":
            at = int(step[1] * len(document.text))
            text = document.text[:at] + step[2] + document.text[at:]
            if document.saving.state == "saved":
                self.writes.append(asyncio.ensure_future(document.write(text, document.revision)))
        elif kind == "select":
            document.select(tuple(int(part * len(document.text)) for part in step[1:]))
        elif kind == "cut":
            await cut(self.clients[index])
        elif kind == "kill":
            await self.kill()
        elif kind == "saved":
            await document.saved()
        else:
            for _ in range(step[1]):
                await asyncio.sleep(0)

    async def kill(self) -> None:
        if self.kills > 0:
            self.kills -= 1
            await asyncio.to_thread(self.server.kill)
            await asyncio.to_thread(self.server.start)
            for client in self.clients:
                client.reconnect()

    async def finish(self) -> None:
        """Waits until everybody has everything."""
        for document in self.documents:
            await document.saved()
        for write in self.writes:
            try:
                await write
            except CaretError as error:
                # Edits of the same client have overtaken this text.
                assert error.code == "base_before_own_push", error
        self.documents[0].append("END")
        await self.documents[0].saved()
        for index, changes in enumerate(self.changes):
            while "END" not in self.views[index] or changes.has_item():
                change = await anext(changes)
                self.views[index] = apply(self.views[index], change.edits)


def edits_in(text: str, drawn: Any) -> list[Edit]:
    """Edits that fit the text: the drawn places, in order."""
    edits, last = [], 0
    for start, end, new in drawn:
        low, high = sorted((int(start * len(text)), int(end * len(text))))
        low = max(low, last)
        high = min(max(high, low), low + 4)
        edits.append(Edit(low, high, new))
        last = high
    return edits


class PropertyTests(unittest.TestCase):
    server: Server
    count = 0

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Server()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.server.stop()

    @settings(
        max_examples=400 if FULL else 20, deadline=None, database=None, derandomize=not FULL, print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(steps, max_size=40))
    def test_all_texts_are_equal_in_the_end(self, plan: Any) -> None:
        type(self).count += 1
        asyncio.run(asyncio.wait_for(self.follow(plan, f"plan {self.count}"), PATIENCE))

    async def follow(self, plan: Any, name: str) -> None:
        clients = [connect(self.server.address) for _ in range(3)]
        for client in clients:
            client.start()
        try:
            documents = [await client.open(name, create=True) for client in clients]
            run = RandomClients(self.server, clients, documents)
            for index, step in plan:
                await run.happen(index, step)
            await run.finish()
            text = (await clients[0].read(name)).text
            self.assertEqual([document.text for document in documents], [text] * 3)
            self.assertEqual(run.views, [text] * 3)
        finally:
            await asyncio.gather(*(client.close() for client in clients))


changes_of_ten = st.lists(
    st.tuples(st.integers(0, 10), st.integers(0, 10), texts), max_size=4,
).map(lambda drawn: normal(edits_in("." * 10, [(low / 10, high / 10, new) for low, high, new in sorted(drawn)])))


class ChangeTests(unittest.TestCase):
    @settings(max_examples=2_000 if FULL else 100, deadline=None, database=None, derandomize=not FULL)
    @given(changes_of_ten, changes_of_ten)
    def test_both_orders_of_two_changes_give_one_text(self, one: Any, other: Any) -> None:
        text = "0123456789"
        first = apply(apply(text, one), rebase(other, one, "other_first"))
        second = apply(apply(text, other), rebase(one, other, "self_first"))
        self.assertEqual(first, second)

    @settings(max_examples=2_000 if FULL else 100, deadline=None, database=None, derandomize=not FULL)
    @given(changes_of_ten, st.data())
    def test_composing_is_applying_one_after_the_other(self, first: Any, data: Any) -> None:
        text = "0123456789"
        middle = apply(text, first)
        drawn = data.draw(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), texts), max_size=4))
        second = normal(edits_in(middle, drawn))
        self.assertEqual(apply(text, compose(first, second)), apply(middle, second))


if __name__ == "__main__":
    unittest.main()
