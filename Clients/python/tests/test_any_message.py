"""A client that receives any messages in any order: it never fails, and its texts and a view stay right."""

from __future__ import annotations

import asyncio
import json
import os
import unittest
from typing import Any

import support  # First, because it says where the package is.
import virtual_time
from caret_client.changes import apply
from caret_client.document import Document
from caret_client.protocol import ERROR_CODES, PARTS, SERVER_MESSAGES, Field
from caret_client.wire import InvalidLine
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stand_in import WELCOME, StandIn, no_jitter

FULL = os.environ.get("CARET_FULL") == "1"

WORDS: dict[str, Any] = {
    "doc": st.sampled_from(["notes", "notes", "notes", "other"]), "epoch": st.sampled_from(["e1", "e2"]),
    "rights": st.sampled_from(["none", "read", "write", "write", "write"]),
    "code": st.sampled_from(sorted(ERROR_CODES)),
    "reason": st.sampled_from(["deleted", "renamed", "damaged", "shutting_down", "idle", "revoked", "burnt"]),
    "to": st.sampled_from(["notes", "new"]), "session": st.sampled_from(["s1", "s2"]), "user": st.just("ann"),
    "unit": st.sampled_from(["utf-32"] * 9 + ["utf-8"]), "text": st.text(st.sampled_from("ab😀\n"), max_size=8),
}
small = st.integers(0, 6)
pairs = st.tuples(small, small).map(list)
edits = st.lists(st.fixed_dictionaries({"range": pairs.map(sorted), "text": WORDS["text"]}), max_size=2)


def value_of(field: Field) -> Any:
    """Values of a field."""
    name, kind, _ = field
    kind, _, part = kind.partition(":")
    if kind == "string":
        return WORDS.get(name, st.sampled_from(["", "x"]))
    values: dict[str, Any] = {
        "integer": small, "boolean": st.booleans(), "edits": edits, "selections": st.lists(pairs, max_size=2),
        "strings": st.just([]),
    }
    if part:
        values["object"] = object_of(PARTS[part])
        values["objects"] = st.lists(values["object"], max_size=2)
    return values.get(kind, st.just({}))


def object_of(fields: tuple[Field, ...]) -> Any:
    """Objects with the fields that must be there, and with any of the others."""
    needed = {field[0]: value_of(field) for field in fields if field[2]}
    return st.fixed_dictionaries(needed, optional={field[0]: value_of(field) for field in fields if not field[2]})


def message_of(kind: str) -> Any:
    with_id = st.fixed_dictionaries({"type": st.just(kind)}, optional={"id": st.integers(1, 8)})
    return st.tuples(with_id, object_of(SERVER_MESSAGES[kind])).map(lambda parts: {**parts[0], **parts[1]})


frequent = ["opened", "change", "ack", "error", "peer", "resync", "gone", "rights", "check"]
kinds = [*frequent, *frequent, *sorted(SERVER_MESSAGES)]
events = st.one_of(
    *(message_of(kind).map(lambda message: ("in", message)) for kind in kinds),
    st.tuples(st.just("answer"), WORDS["text"], small, st.booleans()),
    st.tuples(st.just("answer"), WORDS["text"], small, st.booleans()),
    st.tuples(st.just("type"), st.floats(0, 1), WORDS["text"]),
    st.tuples(st.just("write"), WORDS["text"]),
    st.tuples(st.sampled_from(["cut", "connect", "wait", "retry", "discard", "select", "list"])),
)


class AnyMessageTests(unittest.TestCase):
    @settings(
        max_examples=5_000 if FULL else 100, deadline=None, database=None, derandomize=not FULL, print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(events, max_size=40))
    def test_no_message_breaks_a_client(self, plan: Any) -> None:
        with no_jitter():
            virtual_time.run(lambda loop: self.follow(loop, plan))

    async def follow(self, loop: virtual_time.VirtualLoop, plan: Any) -> None:
        server = StandIn()
        client = server.client()
        client.start()
        server.welcome()
        document = client.opening("notes")
        view, changes = "", document.changes()
        tasks = []
        for kind, *rest in plan:
            if client.link.state == "ended":
                break
            try:
                tasks += self.happen(client, server, document, kind, rest)
            except InvalidLine:
                server.events.closed("invalid")  # type: ignore[union-attr]
            if kind == "wait":
                await loop.pass_time(40)
            await loop.settle()
            draft = document._state.replica.draft
            self.assertEqual(draft.text, apply(apply(draft.committed, draft.in_flight), draft.unsent))
            while changes.has_item():
                view = apply(view, changes.pop().edits)
            self.assertEqual(view, draft.text)
        closing = asyncio.ensure_future(client.close())
        await loop.pass_time(10)
        await closing
        # Every call ends, with an answer or an error.
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            self.assertNotIsInstance(result, (KeyError, TypeError, AssertionError))

    def happen(self, client: Any, server: StandIn, document: Document, kind: str, rest: Any) -> list[Any]:
        """Runs a step. Returns the calls that it has begun."""
        assert server.events
        is_online = client.link.state == "online"
        if kind == "in" and is_online:
            server.receive(rest[0])
        elif kind == "answer" and is_online:
            self.answer(server, document, *rest)
        elif kind == "type":
            at = int(rest[0] * len(document.text))
            document.edit((at, min(at + 1, len(document.text)), rest[1]))
        elif kind == "write":
            return [asyncio.ensure_future(document.write(rest[0], 1))]
        elif kind == "cut":
            server.events.closed("cut")
        elif kind == "connect":
            client.reconnect()
            server.events.opened()
            server.receive(WELCOME)
        elif kind == "list":
            return [asyncio.ensure_future(client.list())]
        elif kind in ("retry", "discard"):
            getattr(document, kind)()
        elif kind == "select":
            document.select((0, len(document.text)))
        return []

    def answer(self, server: StandIn, document: Document, text: str, rev: int, flag: bool) -> None:
        """The server answers the last message of the client as it could."""
        sent = server.sent[-1]
        if sent["type"] == "open":
            whole = {"rights": "write", "newline": "lf", "peers": [], "id": sent["id"], "doc": sent["doc"]}
            position = {"epoch": sent["epoch"], "rev": sent["rev"], "resumed": True} if "epoch" in sent else None
            server.receive({"type": "opened", **whole, **(position or {"epoch": "e1", "rev": rev, "text": text})})
        elif sent["type"] in ("push", "restore"):
            ack = {"type": "ack", "doc": sent["doc"], "seq": sent["seq"], "rev": document.revision + 1}
            extra = {"edits": [{"range": [0, 0], "text": text}]} if flag or "edits" not in sent else {}
            server.receive({**ack, **extra})


if __name__ == "__main__":
    unittest.main()
