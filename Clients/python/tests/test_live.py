"""Clients of a real server."""

from __future__ import annotations

import asyncio
import unittest
from unittest import mock

import support  # First, because it says where the package is.
from caret_client import Edit, Selection
from caret_client.changes import apply
from caret_client.streams import MOST_CHANGES
from live_case import PATIENCE, LiveCase


class EditTests(LiveCase):
    async def test_an_edit_reaches_another_client_with_its_author(self) -> None:
        ann, ben = await self.pair("edit")
        changes = ben.changes()
        ann.edit((0, 0, "Milk 😀\n"))
        await ann.saved()
        change = await asyncio.wait_for(anext(changes), PATIENCE)
        self.assertEqual(change.edits, (Edit(0, 0, "Milk 😀\n"),))
        self.assertEqual((change.own, change.revision, change.user), (False, 1, "anonymous"))
        self.assertEqual((ann.text, ben.text, ann.revision, ben.revision), ("Milk 😀\n", "Milk 😀\n", 1, 1))

    async def test_several_edits_are_one_revision(self) -> None:
        ann, ben = await self.pair("several")
        ann.append("Milk and bread")
        await ann.saved()
        ann.edit((0, 4, "Tea"), (9, 14, "cake"))
        await ann.saved()
        await self.become(ben, "Tea and cake")
        self.assertEqual(ann.revision, 2)

    async def test_edits_of_two_clients_at_one_moment_are_merged(self) -> None:
        ann, ben = await self.pair("merged")
        for number in range(50):
            ann.edit((0, 0, f"a{number} "))
            ben.append(f"b{number} ")
        await asyncio.gather(ann.saved(), ben.saved())
        ann.append("end")
        await ann.saved()
        await self.become(ben, ann.text)
        words = ann.text.split()
        self.assertEqual(sorted(words), sorted([f"{who}{n}" for who in "ab" for n in range(50)] + ["end"]))

    async def test_edits_that_do_not_fit_change_nothing(self) -> None:
        document = await (await self.client()).open("bad", create=True)
        document.append("Milk")
        for code, edits in (
            ("outside", [(0, 5, "")]), ("outside", [(2, 1, "")]), ("out_of_order", [(2, 3, ""), (1, 1, "x")]),
            ("carriage_return", [(0, 0, "a\r\n")]), ("lone_surrogate", [(0, 0, "\ud800")]),
        ):
            await self.assertFails(code, self.edited(document, edits))
            self.assertEqual(document.text, "Milk")
        await document.saved()
        self.assertEqual(document.revision, 1)

    async def edited(self, document, edits) -> None:
        document.edit(*edits)

    async def test_a_view_that_applies_all_changes_shows_the_text(self) -> None:
        ann, ben = await self.pair("view")
        view, changes = ann.text, ann.changes()
        for number in range(30):
            ann.append(f"{number}\n")
            ben.edit((0, 0, "😀"))
            await asyncio.sleep(0)
        await asyncio.gather(ann.saved(), ben.saved())
        ben.append("end")
        while not view.endswith("end"):
            change = await asyncio.wait_for(anext(changes), PATIENCE)
            view = apply(view, change.edits)
        self.assertEqual(view, ann.text)

    async def test_changes_of_a_slow_reader_are_joined(self) -> None:
        ann, ben = await self.pair("slow")
        view, changes = ben.text, ben.changes()
        for number in range(2 * MOST_CHANGES + 10):
            ben.edit((number // 2, number // 2, "x"))
            self.assertLessEqual(len(changes._waiting), MOST_CHANGES)
        ann.append("end")
        await asyncio.gather(ann.saved(), ben.saved())
        async for change in changes:
            view = apply(view, change.edits)
            if "end" in view:
                break
        self.assertEqual(view, ben.text)

    async def test_selections_stay_on_their_words(self) -> None:
        ann, ben = await self.pair("selections")
        ann.append("Discuss budget.")
        await ann.saved()
        await self.become(ben, ann.text)
        peers = ben.peer_updates()
        ann.select((8, 14))
        async for found in peers:
            if found:
                break
        self.assertEqual(found[0].selections, (Selection(8, 14),))
        ben.edit((8, 8, "the "))
        self.assertEqual(ben.peers[0].selections, (Selection(12, 18),))
        await ben.saved()
        await self.become(ann, "Discuss the budget.")
        self.assertEqual(ann.selections, (Selection(12, 18),))
        await self.assertFails("outside", self.selected(ann))

    async def selected(self, document) -> None:
        document.select((0, 20))

    async def test_people_have_names(self) -> None:
        ann = await (await self.client(name="Ann", color="#c33")).open("names", create=True)
        ann.select((0, 0))
        ben = await (await self.client()).open("names")
        async for peers in ben.peer_updates():
            if peers:
                break
        self.assertEqual(peers[0].info, {"name": "Ann", "color": "#c33"})

    async def test_a_document_is_open_until_each_open_has_its_close(self) -> None:
        client = await self.client()
        first = await client.open("shared", create=True)
        self.assertIs(await client.open("shared"), first)
        await first.close()
        first.append("still open")
        await first.close()
        await self.assertFails("closed", first.saved())
        self.assertEqual((await client.open("shared")).text, "still open")
        await self.assertFails("already_open", client.open("shared", watch=True))

    async def test_a_watched_document_cannot_be_edited(self) -> None:
        ann = await (await self.client()).open("watched", create=True)
        ben = await (await self.client()).open("watched", watch=True)
        ann.append("Milk")
        await self.become(ben, "Milk")
        await self.assertFails("forbidden", ben.write("Tea"))
        ben.append("!")
        await self.assertFails("forbidden", ben.saved())
        ben.discard()
        self.assertEqual(ben.text, "Milk")

    async def test_a_missing_document_is_not_found(self) -> None:
        error = await self.assertFails("not_found", (await self.client()).open("missing"))
        self.assertFalse(error.is_retryable or error.is_final)


class WriteTests(LiveCase):
    async def test_whole_texts_from_one_base_are_merged(self) -> None:
        ann, ben = await self.pair("whole")
        ann.append("Milk\nBread\nTea\n")
        await ann.saved()
        await self.become(ben, ann.text)
        first, second = ann.text.replace("Milk", "Oat milk"), ben.text.replace("Tea", "Green tea")
        await asyncio.gather(ann.write(first, 1), ben.write(second, 1))
        ann.append("end")
        await ann.saved()
        await self.become(ben, "Oat milk\nBread\nGreen tea\nend")
        self.assertEqual(ann.text, ben.text)

    async def test_a_whole_text_with_unsaved_edits_needs_a_base(self) -> None:
        document = await (await self.client()).open("unsaved", create=True)
        document.append("Milk")
        await self.assertFails("unsaved", document.write("Tea"))
        await document.saved()
        self.assertEqual(await document.write("Milk"), 1)
        self.assertEqual(await document.write("Tea"), 2)
        self.assertEqual(document.text, "Tea")
        await self.assertFails("base_ahead", document.write("Coffee", 9))

    async def test_a_text_from_another_epoch_is_refused(self) -> None:
        client = await self.client()
        document = await client.open("epochs", create=True)
        self.assertEqual(await document.write("Milk\n", document.snapshot()), 1)
        old = document.snapshot()
        self.assertEqual((old.text, old.revision, old.epoch), ("Milk\n", 1, document.epoch))
        await client.delete("epochs")
        await document.close()
        document = await client.open("epochs", create=True)
        await self.assertFails("epoch_changed", document.write("Milk\nTea\n", old))
        await self.assertFails("epoch_changed", client.write("epochs", "Milk\nTea\n", old))
        self.assertEqual(document.text, "")

    async def test_an_exact_text_is_refused_if_the_document_has_changed(self) -> None:
        document = await (await self.client()).open("exact", create=True)
        document.append("Milk")
        await document.saved()
        await self.assertFails("base_behind", document.write("Tea", 0, exact=True))
        self.assertEqual(await document.write("Tea", 1, exact=True), 2)

    async def test_line_breaks_of_a_file_are_remembered(self) -> None:
        document = await (await self.client()).open("crlf", create=True)
        await document.write("a\r\nb\r\n")
        self.assertEqual(document.text, "a\nb\n")
        self.assertEqual((await (await self.client()).read("crlf")).newline, "crlf")

    async def test_a_document_that_is_not_open_is_written(self) -> None:
        client, other = await self.client(), await self.client()
        await client.create("closed", "Milk\n")
        await self.assertFails("exists", client.create("closed", "Tea\n"))
        read = await client.read("closed")
        await other.write("closed", "Milk\nBread\n", await other.read("closed"))
        self.assertEqual(await client.write("closed", "Oat milk\n", read), 3)
        self.assertEqual((await other.read("closed")).text, "Oat milk\nBread\n")
        document = await client.open("closed")
        document.append("end")
        await document.saved()
        self.assertEqual(await client.restore("closed", 1), 5)
        self.assertEqual(document.text, "Milk\n")
        await document.close()
        await client.restore("closed", 2)
        self.assertEqual((await client.read("closed")).text, "Milk\nBread\n")


class FixtureTests(LiveCase):
    async def test_carets_stay_at_their_letters_when_the_server_merges_a_whole_text(self) -> None:
        """The shared cases of `carets.json`, whose changes only the server can find."""
        ann, ben = await self.client(), await self.client()
        cases = support.fixture("carets.json")["cases"]
        for number, case in enumerate(cases):
            with self.subTest(case["about"]):
                document = await ann.open(f"carets {number}", create=True)
                await document.write(case["old"])
                self.assertEqual(document.text, case["old"])
                document.select(in_scalars(case["old"], case["selection"]))
                old = await ben.read(document.name)
                await ben.write(document.name, case["new"], old)
                await self.become(document, case["new"])
                self.assertEqual(document.selections, (in_scalars(case["new"], case["becomes"]),))
                await document.close()
        self.assertGreater(len(cases), 10)


def in_scalars(text: str, selection: list[int]) -> Selection:
    """A selection in UTF-16 code units of the fixtures, in scalars of Python."""
    return Selection(*(len(support.scalars(support.units(text)[:offset])) for offset in selection))


class WaitingTests(LiveCase):
    async def test_the_saving_state_is_followed(self) -> None:
        document = await (await self.client()).open("saving", create=True)
        updates, seen = document.saving_updates(), []
        document.append("Milk")
        async for saving in updates:
            seen.append(saving.state)
            if saving.state == "saved":
                break
            await document.saved()
        self.assertEqual(seen, ["sending", "saved"])
        self.assertEqual((document.newline, document.epoch is not None), ("lf", True))

    async def test_an_open_document_is_written_through_its_client(self) -> None:
        client = await self.client()
        document = await client.open("through", create=True)
        self.assertEqual(await client.write("through", "Milk"), 1)
        self.assertEqual(document.text, "Milk")

    async def test_one_task_at_a_time_waits_for_an_iterator(self) -> None:
        changes = (await (await self.client()).open("one reader", create=True)).changes()
        first = asyncio.ensure_future(anext(changes))
        await asyncio.sleep(0)
        await self.assertFails("malformed", anext(changes))
        first.cancel()

    async def test_everything_that_waits_ends_with_the_client(self) -> None:
        client = await self.client("127.0.0.1:1")
        document = client.opening("nowhere")
        waiting = [
            asyncio.ensure_future(call) for call in (
                document.opened(), document.write("x"), client.read("x"), anext(document.changes()), client.online(),
                anext(client.follow()), client.open("other"),
            )
        ]
        await asyncio.sleep(0)
        await client.close()
        results = await asyncio.gather(*waiting, return_exceptions=True)
        codes = [getattr(one, "code", "ended") for one in results]
        self.assertEqual(codes, ["closed"] * 3 + ["ended"] + ["closed"] * 3)
        await self.assertFails("closed", client.open("x"))
        await self.assertFails("closed", anext(client.follow()))
        await self.assertFails("closed", client.read("x"))


class RequestTests(LiveCase):
    async def test_histories_and_old_texts(self) -> None:
        client = await self.client()
        document = await client.open("history", create=True)
        for word in ("Milk", " and", " tea"):
            document.append(word)
            await document.saved()
        revisions = [one async for one in client.history("history", edits=True)]
        self.assertEqual([one.revision for one in revisions], [1, 2, 3])
        self.assertEqual(revisions[1].edits, (Edit(4, 4, " and"),))
        self.assertEqual((await client.read("history", 2)).text, "Milk and")
        lines = [one async for one in client.blame("history")]
        self.assertEqual([(one.line, one.count, one.revision) for one in lines], [(1, 1, 3)])
        self.assertEqual((lines[0].user, lines[0].time), (revisions[2].user, revisions[2].time))
        self.assertEqual([one.revision async for one in client.blame("history", 2)], [2])
        self.assertEqual((await client.read("history", at=revisions[0].time)).revision >= 1, True)
        self.assertEqual(await document.restore(1), 4)
        self.assertEqual(document.text, "Milk")
        await self.assertFails("base_ahead", document.restore(99))
        await self.assertFails("base_ahead", client.read("history", 99))

    async def test_histories_and_lists_have_many_pages(self) -> None:
        client = await self.client()
        document = await client.open("long", create=True)
        for number in range(25):
            document.append(str(number % 10))
            await document.saved()
            await client.write(f"page/{number:02}", "x", create=True)
        with mock.patch("caret_client.api.PAGE_SIZE", 10):
            self.assertEqual([one.revision async for one in client.history("long")], list(range(1, 26)))
            names = [one.name async for one in client.documents("page/")]
            texts = ["a\n" * 30, "a\n" * 30]
            for number in range(0, 30, 2):
                texts[1] = texts[1][:2 * number] + "b" + texts[1][2 * number + 1:]
            await client.write("lines", texts[0], create=True)
            await client.write("lines", texts[1], await client.read("lines"))
            lines = [(one.line, one.revision) async for one in client.blame("lines")]
        self.assertEqual(lines, [(line, 1 + line % 2) for line in range(1, 31)])
        self.assertEqual(names, [f"page/{number:02}" for number in range(25)])

    async def test_named_revisions(self) -> None:
        client = await self.client()
        await client.write("tags", "Milk", create=True)
        await client.tag("tags", 1, "first")
        self.assertEqual([(one.name, one.revision) for one in await client.tags("tags")], [("first", 1)])
        await client.copy("tags", "tags copy")
        self.assertEqual([one.name for one in await client.tags("tags copy")], ["first"])
        await client.untag("tags", "first")
        self.assertEqual(await client.tags("tags"), [])
        await self.assertFails("not_found", client.untag("tags", "first"))

    async def test_notes(self) -> None:
        client = await self.client()
        await client.write("noted", "one 🙂 two", create=True)
        self.assertEqual(await client.add_note("noted", "Why?", (4, 5), 1), 1)
        self.assertEqual(await client.suggest("noted", [Edit(6, 9, "2")], 1, "short"), 2)
        self.assertEqual(await client.answer_note("noted", 1, "So."), 3)
        await client.write("noted", "zero one 🙂 two", await client.read("noted"))
        found = await client.notes("noted")
        self.assertEqual((found.count, found.rights, found.whole), (3, "write", True))
        self.assertEqual(
            [(one.number, one.parent, one.range, one.quote, one.text, one.edits) for one in found.notes],
            [
                (1, None, (9, 10), "🙂", "Why?", None), (2, None, (11, 14), "two", "short", (Edit(11, 14, "2"),)),
                (3, 1, None, "", "So.", None),
            ],
        )
        self.assertEqual(await client.accept_note("noted", 2, 1), 3)
        self.assertEqual((await client.read("noted")).text, "zero one 🙂 2")
        self.assertEqual(await client.change_note("noted", 1, 1, "How?"), 2)
        self.assertEqual(await client.set_note("noted", 1, 2, "resolved"), 3)
        await self.assertFails("base_behind", client.set_note("noted", 1, 2, "open"))
        later = await client.notes("noted", found.count)
        self.assertEqual([(one.number, one.state, one.accepted) for one in later.notes],
                         [(1, "resolved", None), (2, "accepted", 3)])
        self.assertGreaterEqual(later.notes[0].edited, later.notes[0].time)
        await client.remove_note("noted", 1, 3)
        self.assertEqual([one.number for one in (await client.notes("noted")).notes], [2])

    async def test_documents_are_listed_and_followed(self) -> None:
        client, other = await self.client(), await self.client()
        await client.write("list/a", "a", create=True)
        events = client.follow("list/")
        seen = []
        async for event in events:
            seen.append((event.kind, event.name))
            if event.kind == "complete":
                break
        self.assertEqual(seen, [("restarted", None), ("document", "list/a"), ("complete", None)])
        await other.write("elsewhere", "x", create=True)
        await other.write("list/b", "b", create=True)
        self.assertEqual((await asyncio.wait_for(anext(events), PATIENCE)).name, "list/b")
        await other.delete("list/b")
        event = await asyncio.wait_for(anext(events), PATIENCE)
        self.assertEqual((event.kind, event.name, event.reason), ("gone", "list/b", "deleted"))
        client.unfollow(events)
        self.assertEqual([one async for one in events], [])
        client.follow("list/")
        self.assertEqual(len(client._followers), 0)  # Nobody has the iterator.
        self.assertEqual([one.name for one in await client.list("list/")], ["list/a"])
        self.assertEqual([one.name async for one in client.documents("list/")], ["list/a"])

    async def test_a_renamed_document_goes_on_and_a_deleted_one_ends(self) -> None:
        ann, ben = await self.pair("old name")
        changes = ben.changes()
        ann.append("Milk")
        await ann.saved()
        await ann._client.rename("old name", "new name")
        ann.append("!")
        await ann.saved()
        await self.become(ben, "Milk!")
        self.assertEqual((ann.name, ben.name), ("new name", "new name"))
        await ann._client.delete("new name")
        await self.assertFails("not_found", self.drained(changes))
        await self.assertFails("not_found", ben.saved())

    async def drained(self, changes) -> None:
        async for _ in changes:
            pass

    async def test_administrators_use_the_socket_of_the_data_folder(self) -> None:
        admin = await self.client(self.server.socket)
        counted = await admin.request({"type": "counters"})
        self.assertEqual(counted["type"], "counted")
        await self.assertFails("unknown_type", admin.request({"type": "dance"}))


class LimitTests(LiveCase):
    options = (
        "--limit-document", "64 KiB", "--limit-line", "448 KiB", "--limit-documents", "2", "--limit-selections", "3",
        "--limit-edits", "4",
    )

    async def test_a_document_has_a_largest_size(self) -> None:
        document = await (await self.client()).open("large", create=True)
        await document.write("x" * 65_536)
        document.append("y")
        await self.assertFails("too_large", document.saved())
        self.assertEqual((len(document.text), document.unsaved), (65_537, (Edit(65_536, 65_536, "y"),)))
        document.edit((0, 1, ""))
        document.retry()
        await document.saved()
        self.assertEqual(document.text, "x" * 65_535 + "y")

    async def test_a_line_has_a_largest_size(self) -> None:
        client = await self.client()
        document = await client.open("line", create=True)
        document.append("\x01" * 80_000)
        await self.assertFails("line_too_long", document.saved())
        document.discard()
        await document.saved()
        await self.assertFails("line_too_long", client.write("other", "\x01" * 80_000, create=True))
        self.assertEqual(client.link.state, "online")

    async def test_a_push_has_a_largest_number_of_edits(self) -> None:
        document = await (await self.client()).open("edits", create=True)
        await document.write("0123456789")
        document.edit(*((2 * number, 2 * number + 1, "x") for number in range(4)))
        await document.saved()
        document.edit(*((2 * number, 2 * number + 1, "y") for number in range(5)))
        await self.assertFails("too_large", document.saved())

    async def test_a_connection_has_a_largest_number_of_documents(self) -> None:
        client = await self.client()
        first, second = await client.open("one", create=True), await client.open("two", create=True)
        await self.assertFails("too_large", client.open("three", create=True))
        await first.close()
        third = await client.open("three", create=True)
        self.assertEqual((second.saving.state, third.saving.state), ("saved", "saved"))

    async def test_a_session_has_a_largest_number_of_selections(self) -> None:
        ann, ben = await self.pair("chosen")
        ann.append("0123456789")
        await ann.saved()
        await self.become(ben, ann.text)
        ann.select((0, 1), (2, 3), (4, 5))
        async for peers in ben.peer_updates():
            if peers:
                break
        self.assertEqual(len(peers[0].selections), 3)
        # The server refuses more, and the document goes on.
        ann.select((0, 1), (2, 3), (4, 5), (6, 7))
        ann.append("!")
        await ann.saved()
        self.assertEqual(ann.saving.state, "saved")


if __name__ == "__main__":
    unittest.main()
