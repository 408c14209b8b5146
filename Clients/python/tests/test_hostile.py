"""Servers that break the protocol: the text stays right, and nothing grows without bound."""

from __future__ import annotations

import asyncio
import json
import socket
import unittest
import zlib
from typing import Any

import support  # First, because it says where the package is.
import virtual_time
from caret_client import CaretError, Edit, connect
from caret_client.presence import MOST_SELECTIONS
from caret_client.streams import MOST_EVENTS, MOST_WAITING_TEXT, Change, ChangeStream, EventStream
from caret_client.wire import InvalidLine, LineReader, decode, longest_line
from live_case import PATIENCE
from stand_in import WELCOME, StandIn, no_jitter

OPENED = {
    "type": "opened", "id": 1, "doc": "notes", "epoch": "e1", "rev": 1, "text": "Milk", "rights": "write",
    "newline": "lf",
}
CHANGE = {
    "type": "change", "doc": "notes", "rev": 2, "edits": [{"range": [4, 4], "text": "!"}], "user": "b", "client": "p",
    "time": 1,
}
INFO = {"doc": "notes", "epoch": "e1", "rev": 1, "length": 4, "updated": 1}


class LineTests(unittest.TestCase):
    def test_lines_arrive_in_any_pieces(self) -> None:
        data = b'{"type":"ping"}\r\n\n\r\n{"type":"pong"}\n'
        for size in range(1, len(data) + 1):
            reader = LineReader()
            lines = [line for at in range(0, len(data), size) for line in reader.feed(data[at : at + size])]
            self.assertEqual([decode(line)["type"] for line in lines], ["ping", "pong"])

    def test_a_line_may_have_the_limit_and_not_more(self) -> None:
        for pieces in (1, 4):
            reader = LineReader()
            reader.limit = 8
            self.assertEqual([line for _ in range(pieces) for line in reader.feed(b"x" * (8 // pieces))], [])
            self.assertEqual(reader.feed(b"\n"), [b"x" * 8])
            with self.assertRaises(InvalidLine):
                for _ in range(pieces + 1):
                    reader.feed(b"x" * 8)
        with self.assertRaises(InvalidLine):
            reader = LineReader()
            reader.limit = 8
            reader.feed(b"xxxxxxxxx\n")
        self.assertEqual(longest_line(2**53 - 1), 512 * 1024 * 1024)

    def test_lines_that_are_no_message_are_refused(self) -> None:
        for line in (
            b"", b"{", b"[]", b"1", b"null", b'{"type":1}', b'{"type":"ping"}x', b'{"type":"ping","id":null}',
            b'{"type":"ping","id":1.5}', b'{"type":"pong","x":NaN}', b'{"type":"pong","x":"\\ud800"}',
            b'{"type":"pong","x":"\xff"}', b'{"x":' * 100_000, b'{"type":"pong","x":' + b"[" * 100_000,
            b'{"type":"pong","x":1' + b"0" * 5_000 + b"}",
        ):
            with self.subTest(line[:40]), self.assertRaises(InvalidLine):
                decode(line)

    def test_fields_of_a_wrong_kind_are_refused(self) -> None:
        changes: list[dict[str, Any]] = [
            {"rev": "2"}, {"rev": -1}, {"rev": 2**53}, {"rev": True}, {"rev": None}, {"doc": 1},
            {"edits": {}}, {"edits": [1]},
            {"edits": [{"range": [1, 0], "text": ""}]}, {"edits": [{"range": [0], "text": ""}]},
            {"edits": [{"range": [0, 0.5], "text": ""}]}, {"edits": [{"range": [0, 0]}]},
            {"edits": [{"range": [0, 0], "text": "\r"}]}, {"edits": [{"range": [-1, 0], "text": ""}]},
        ]
        messages = [{**CHANGE, **change} for change in changes]
        messages += [{**OPENED, "text": "a\r\n"}, {**OPENED, "peers": [1]}, {**OPENED, "peers": [{}]}]
        messages += [{**OPENED, "own": {"seq": 1}}]
        messages += [{**CHANGE, name: "x" * 513} for name in ("doc", "user", "client")]
        messages += [{**OPENED, "peers": {}}, {**WELCOME, "features": [1]}, {"type": "ack", "doc": "notes", "seq": 1}]
        for message in messages:
            with self.subTest(message), self.assertRaises(InvalidLine):
                decode(json.dumps(message).encode())
        self.assertEqual(decode(b'{"type":"dance","doc":1}')["doc"], 1)

    def test_every_message_of_the_shared_examples_is_accepted(self) -> None:
        count = 0
        for line in (support.FIXTURES / "wire/examples.txt").read_text(encoding="utf-8").splitlines():
            if line.startswith("< "):
                decode(line[2:].encode())
                count += 1
        self.assertGreater(count, 40)


class StreamTests(unittest.TestCase):
    def run_with(self, test: Any) -> None:
        """Runs a test with a client that has the document `notes` open with the text `Milk`."""
        async def follow(loop: virtual_time.VirtualLoop) -> None:
            server = StandIn()
            client = server.client()
            client.start()
            document = client.opening("notes")
            server.welcome()
            server.receive(OPENED)
            server.take()
            await test(loop, server, client, document)
            closing = asyncio.ensure_future(client.close())
            await loop.pass_time(10)
            await closing

        with no_jitter():
            virtual_time.run(follow)

    def test_edits_that_do_not_fit_make_the_client_load_the_text_again(self) -> None:
        wrong: list[dict[str, Any]] = [
            {"edits": [{"range": [4, 5], "text": ""}]}, {"rev": 3}, {"rev": 1}, {"from": 0},
            {"edits": [{"range": [2, 3], "text": ""}, {"range": [1, 1], "text": "x"}]},
        ]
        for change in wrong:
            async def test(loop: Any, server: StandIn, client: Any, document: Any) -> None:
                document.append(" and tea")
                server.take()
                server.receive({**CHANGE, **change})
                reopening = [{"type": "close", "doc": "notes"}, {"type": "open", "id": 2, "doc": "notes"}]
                self.assertEqual(server.take(), reopening)
                self.assertEqual(document.text, "Milk and tea")
                server.receive({**OPENED, "id": 2, "rev": 7, "text": "Oat milk", "own": {"seq": 0, "rev": 3}})
                self.assertEqual((document.text, document.unsaved[0].text), ("Oat milk and tea", " and tea"))

            with self.subTest(change):
                self.run_with(test)

    def test_a_server_that_is_wrong_again_and_again_is_asked_after_growing_delays(self) -> None:
        async def test(loop: Any, server: StandIn, client: Any, document: Any) -> None:
            opens = []
            for _ in range(5):
                server.receive({**CHANGE, "rev": 9})
                await loop.pass_time(100 if opens and len(opens) > 3 else 1)
                server.receive({"type": "ping"})
                opens += [one["id"] for one in server.take() if one["type"] == "open"]
                server.receive({**OPENED, "id": opens[-1]})
            self.assertLess(len(opens), 5)
            self.assertEqual(document.text, "Milk")

        self.run_with(test)

    def test_a_wrong_checksum_makes_the_client_load_the_text_again(self) -> None:
        async def test(loop: Any, server: StandIn, client: Any, document: Any) -> None:
            server.receive({"type": "check", "doc": "notes", "rev": 1, "length": 4, "crc32": "00000000"})
            self.assertEqual([one["type"] for one in server.take()], ["diverged", "close", "open"])

        self.run_with(test)

    def test_a_right_checksum_changes_nothing(self) -> None:
        async def test(loop: Any, server: StandIn, client: Any, document: Any) -> None:
            checksum = f"{zlib.crc32(b'Milk'):08x}"
            server.receive({"type": "check", "doc": "notes", "rev": 1, "length": 4, "crc32": checksum})
            self.assertEqual(server.take(), [])

        self.run_with(test)

    def test_the_selections_of_endless_peers_are_bounded(self) -> None:
        async def test(loop: Any, server: StandIn, client: Any, document: Any) -> None:
            selections = [[0, 1], [0, 9], [9, 9]]
            peer = {"type": "peer", "doc": "notes", "user": "b", "client": "p", "rev": 1, "selections": selections}
            for number in range(MOST_SELECTIONS // 2 + 5):
                server.receive({**peer, "session": f"s{number}"})
            self.assertEqual(len(document.peers), MOST_SELECTIONS // 2)
            self.assertEqual(document.peers[0].selections, ((0, 1),))

        self.run_with(test)

    def test_an_error_about_another_document_changes_nothing(self) -> None:
        async def test(loop: Any, server: StandIn, client: Any, document: Any) -> None:
            document.append("!")
            refusal = {"type": "error", "doc": "other", "seq": 1, "code": "too_large", "message": ""}
            server.receive(refusal)
            self.assertEqual(document.saving.state, "sending")
            server.receive({**refusal, "doc": "notes"})
            self.assertEqual((document.saving.state, document.saving.code), ("refused", "too_large"))

        self.run_with(test)

    def test_what_peers_say_is_bounded(self) -> None:
        async def test(loop: Any, server: StandIn, client: Any, document: Any) -> None:
            peer = {"type": "peer", "doc": "notes", "user": "b", "client": "p", "rev": 1, "selections": []}
            for session, letters in (("short", 1_000), ("long", 10_000)):
                server.receive({**peer, "session": session, "info": {"name": "x" * letters}})
            self.assertEqual([len(one.info.get("name", "")) for one in document.peers], [1_000, 0])

        self.run_with(test)

    def test_messages_that_contradict_the_state_are_ignored(self) -> None:
        async def test(loop: Any, server: StandIn, client: Any, document: Any) -> None:
            for message in (
                {"type": "ack", "doc": "notes", "seq": 9, "rev": 1}, {"type": "closed", "doc": "notes"},
                {"type": "done", "id": 77},
                {"type": "error", "id": 77, "code": "not_found", "message": ""}, {"type": "dance"}, {**OPENED, "id": 9},
                {"type": "error", "doc": "notes", "seq": 4, "code": "bad_range", "message": ""},
                {**CHANGE, "doc": "other"},
                {"type": "peer", "doc": "notes", "session": "s", "left": True}, {"type": "document", **INFO}, WELCOME,
                {"type": "authenticated", "user": "b"}, {"type": "gone", "doc": "notes", "reason": "burnt"},
            ):
                server.receive(message)
            self.assertEqual((document.text, document.revision, document.saving.state), ("Milk", 1, "saved"))
            self.assertEqual(server.take(), [])

        self.run_with(test)


class SocketTests(unittest.IsolatedAsyncioTestCase):
    """A socket whose other end is the test."""

    async def asyncSetUp(self) -> None:
        self.sockets: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
        self.listener = await asyncio.start_server(lambda *pair: self.sockets.put_nowait(pair), "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self.listener.sockets[0].getsockname()[1]}"

    async def asyncTearDown(self) -> None:
        self.listener.close()
        while not self.sockets.empty():
            self.sockets.get_nowait()[1].close()

    async def accept(self, *messages: Any) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.wait_for(self.sockets.get(), PATIENCE)
        self.addCleanup(writer.close)
        for message in messages:
            writer.write(json.dumps(message).encode() + b"\n")
        return reader, writer

    async def test_what_is_no_message_ends_the_connection_and_the_client_connects_again(self) -> None:
        async with connect(self.address) as client:
            for line in (b"HTTP/1.1 400 Bad Request\r\n", b"{\n", b'{"type":"change"}\n'):
                reader, writer = await self.accept(WELCOME)
                writer.write(line)
                self.assertEqual((await asyncio.wait_for(reader.read(), PATIENCE))[:1], b"{")
                while client.link.state != "waiting":
                    await asyncio.sleep(0)
                self.assertIn("the server sent something invalid", client.link.reason or "")
                client.reconnect()

    async def test_an_endless_line_ends_the_connection(self) -> None:
        async with connect(self.address) as client:
            reader, writer = await self.accept({**WELCOME, "limits": {"document": 1000}})
            await client.online()
            writer.write(b'{"type":"' + b"x" * 80_000)
            self.assertEqual((await asyncio.wait_for(reader.read(), PATIENCE))[:1], b"{")
            links = client.links()
            while client.link.state == "online":
                await asyncio.wait_for(anext(links), PATIENCE)
            self.assertIn(f"more than {longest_line(1000)} bytes", client.link.reason or "")

    async def test_a_server_that_reads_nothing_does_not_fill_the_memory(self) -> None:
        async with connect(self.address) as client:
            reader, writer = await self.accept(WELCOME)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
            reader._transport.pause_reading()  # type: ignore[attr-defined]
            document = client.opening("notes")
            await client.online()
            writer.write(json.dumps({**OPENED, "text": "Milk"}).encode() + b"\n")
            await document.opened()
            transport: Any = client._transport
            count = 0
            while not transport._is_paused:
                document.select(*[(0, count % 5)] * 1000)
                count += 1
                await asyncio.sleep(0)
            for number in range(1000):
                document.select((number % 2, 4))
                await asyncio.sleep(0)
            self.assertEqual(len(transport._outgoing), 1)
            document.select((3, 3))
            reader._transport.resume_reading()  # type: ignore[attr-defined]
            line = b""
            while b"[3,3]" not in line:
                line = await asyncio.wait_for(reader.readline(), PATIENCE)
                self.assertNotEqual(line, b"")
            self.assertEqual(transport._outgoing, {})
            writer.transport.abort()


class ReaderTests(unittest.TestCase):
    def test_large_changes_that_wait_are_joined(self) -> None:
        stream, text = ChangeStream(), "x" * 100_000
        for number in range(100):
            stream.put(Change((Edit(0, 0 if number == 0 else len(text), text),), own=True))
            waiting = sum(len(one.edits[0].text) for one in stream._waiting)
            self.assertLessEqual(waiting, MOST_WAITING_TEXT + 3 * len(text))
        self.assertLess(len(stream._waiting), 20)


class FollowerTests(unittest.TestCase):
    def test_a_follower_that_reads_nothing_is_ended_at_the_limit(self) -> None:
        asyncio.run(self.follow())

    async def follow(self) -> None:
        stream: EventStream[int] = EventStream()
        for number in range(MOST_EVENTS):
            stream.put(number, number)
            stream.put(number, number)
        self.assertEqual(await anext(stream), 0)
        stream.put(0, 0)
        stream.put(MOST_EVENTS, 0)
        with self.assertRaises(CaretError) as failure:
            await anext(stream)
        self.assertEqual(failure.exception.code, "too_slow")
        stream.put(1, 1)
        self.assertFalse(stream.has_item())


if __name__ == "__main__":
    unittest.main()
