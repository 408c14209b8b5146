"""The calls for programs without asyncio."""

from __future__ import annotations

import inspect
import unittest

import support  # First, because it says where the package is.
import caret_client
from caret_client import CaretError, Edit, blocking
from servers import Server


class BlockingTests(unittest.TestCase):
    server: Server

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Server()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.server.stop()

    def test_two_clients_edit_one_document(self) -> None:
        with blocking.connect(self.server.address) as ann, blocking.connect(self.server.address, name="Ben") as ben:
            ann.online(timeout=60)
            first, second = ann.open("agenda", create=True), ben.open("agenda")
            changes = second.changes()
            first.append("Milk")
            first.saved(timeout=60)
            self.assertEqual(next(changes).edits[0].text, "Milk")
            self.assertEqual(second.write("Oat milk", second.snapshot()), 2)
            self.assertEqual((second.text, second.revision, second.saving.state), ("Oat milk", 2, "saved"))
            second.select((0, 3))
            self.assertEqual([one.revision for one in ann.history("agenda")], [1, 2])
            self.assertEqual([one.revision for one in ann.blame("agenda")], [2])
            self.assertEqual((ann.read("agenda", 1).text, second.restore(1)), ("Milk", 3))
            ann.write("other", "Tea", create=True)
            self.assertEqual([one.name for one in ann.documents("o")], ["other"])
            self.assertEqual(next(event.name for event in ann.follow("ag") if event.name), "agenda")
            ann.delete("other")
            with self.assertRaises(CaretError) as failure:
                ann.open("other")
            self.assertEqual(failure.exception.code, "not_found")
            self.assertEqual((second.name, second.rights, second.newline), ("agenda", "write", "lf"))
            self.assertEqual((second.unsaved, second.selections[0].anchor, second.peers), ((), 1, []))
            self.assertEqual((ann.link.state, ann.user), ("online", "anonymous"))
            second.edit((0, 0, "Oat "))
            second.retry()
            second.saved()
            second.discard()
            self.assertEqual(ann.restore("agenda", 1), 5)
            second.close()
            with self.assertRaises(CaretError):
                second.append("x")

    def test_a_closed_client_answers_nothing_more(self) -> None:
        client = blocking.connect(self.server.address)
        document = client.open("closed", create=True)
        client.close()
        client.close()
        for call in (lambda: document.text, lambda: client.read("closed"), document.saved):
            with self.assertRaises(CaretError) as failure:
                call()
            self.assertEqual(failure.exception.code, "closed")

    def test_requests(self) -> None:
        with blocking.connect(self.server.socket) as client:
            client.create("r/a", "text")
            client.copy("r/a", "r/b")
            client.rename("r/b", "r/c")
            self.assertEqual([one.name for one in client.list("r/")], ["r/a", "r/c"])
            client.tag("r/a", 1, "first")
            self.assertEqual([one.name for one in client.tags("r/a")], ["first"])
            client.untag("r/a", "first")
            client.add_note("r/a", "Why?", (0, 4), 1)
            client.answer_note("r/a", 1, "So.")
            client.suggest("r/a", [Edit(0, 4, "Text")], 1)
            self.assertEqual(client.change_note("r/a", 1, 1, "How?"), 2)
            self.assertEqual(client.set_note("r/a", 1, 2, "resolved"), 3)
            self.assertEqual(client.accept_note("r/a", 3, 1), 2)
            client.remove_note("r/a", 1, 3)
            self.assertEqual([one.accepted for one in client.notes("r/a").notes], [2])
            number, token = client.add_token("ann", [{"rights": "read", "prefix": ""}])
            self.assertTrue(token.startswith(f"caret_{number}_"))
            client.revoke_token(number)
            client.sign_out("ann")
            self.assertEqual(client.request({"type": "list_tokens"})["tokens"], [])
            client.delete("r/a")
            client.delete("r/c")
            [deleted] = client.deleted("r/c")
            self.assertEqual((deleted.name, deleted.revision, deleted.length), ("r/c", 1, 4))
            client.undelete(deleted.number)
            self.assertEqual([one.name for one in client.deleted("r/")], ["r/a"])
            self.assertEqual(client.read("r/c").text, "text")
            client.delete("r/c")

    def test_links(self) -> None:
        server = self.enterContext(Server("--require-tokens", "--share-links"))
        with blocking.connect(server.socket) as admin:
            _, token = admin.add_token("ann", [{"rights": "write", "prefix": ""}])
        with blocking.connect(server.address, token=token) as ann:
            ann.create("agenda", "Milk")
            ann.create("secret")
            number, token = ann.add_link("agenda", "read", 3_600)
            other, _ = ann.add_link("agenda", "write", 60)
            with blocking.connect(server.address, token=token) as guest:
                self.assertEqual((guest.read("agenda").text, [one.name for one in guest.list()]), ("Milk", ["agenda"]))
                self.assertEqual([one.user for one in ann.links_to("agenda")][:1], [guest.user])
                ann.end_link("agenda", number)
                with self.assertRaises(CaretError):
                    # The server may answer a few more requests before it ends the connection.
                    for _ in range(100_000):
                        guest.read("agenda")
            [link] = ann.links_to("agenda")
            self.assertEqual((link.number, link.rights, link.last_use), (other, "write", None))
            self.assertEqual((link.expires - link.created).total_seconds(), 60)

    def test_a_wait_can_have_an_end(self) -> None:
        with blocking.connect("127.0.0.1:1") as client, self.assertRaises(TimeoutError):
            client.open("agenda", timeout=0.01)

    def test_it_has_the_same_names(self) -> None:
        beyond = {"links", "server", "welcome", "opening", "find", "unfollow", "reconnect", "start", "handle",
                  "change_document", "close_document", "opened", "key", "epoch", "watches", "peer_updates",
                  "saving_updates", "reopen", "end", "notify", "end_error", "last_seq"}
        for left, right in ((caret_client.Client, blocking.Client), (caret_client.Document, blocking.Document)):
            names = {name for name, _ in inspect.getmembers(left) if not name.startswith("_")}
            others = {name for name, _ in inspect.getmembers(right) if not name.startswith("_")}
            self.assertEqual(names - beyond, others)


if __name__ == "__main__":
    unittest.main()
