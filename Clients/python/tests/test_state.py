"""The limits of the state machines, each at the limit and one beyond, and writes that a server answers in any way."""

from __future__ import annotations

import unittest
from typing import Any

import support  # First, because it says where the package is.
from caret_client.actions import CloseDocument, Finish, OpenDocument, RetryAfter, Send, SendPush, ShowPeers
from caret_client.address import parse_address
from caret_client.backoff import LONGEST_REQUESTED_DELAY, Backoff
from caret_client.changes import Edit, Selection
from caret_client.client_state import ClientState
from caret_client.document_state import DocumentState
from caret_client.errors import RETRYABLE_CODES, CaretError
from caret_client.protocol import ERROR_CODES
from caret_client.refusals import Recovery, recovery_of
from caret_client.replica import MOST_WRITES, Write
from caret_client.replica_messages import Replica
from caret_client.requests import MOST_UNANSWERED, PendingRequests
from caret_client.rotation import ServerRotation


def opened(**fields: Any) -> dict[str, Any]:
    return {
        "type": "opened", "doc": "notes", "epoch": "e", "rev": 1, "text": "Milk", "rights": "write", "newline": "lf",
        "peers": [], **fields,
    }


def writing(text: str = "Tea", base: int = 1) -> tuple[Replica, Any]:
    """A replica that has sent a whole text, and its push."""
    replica = Replica()
    replica.connected()
    replica.received(opened())
    done = replica.wrote(Write(1, {"type": "push", "epoch": "e", "base": base, "text": text}))
    return replica, next(one.message for one in done if isinstance(one, SendPush))


def finished(done: Any) -> list[Any]:
    return [one for one in done if isinstance(one, (Finish, CloseDocument, OpenDocument, SendPush, RetryAfter))]


class WriteTests(unittest.TestCase):
    def ack(self, replica: Replica, **fields: Any) -> list[Any]:
        return finished(replica.received({"type": "ack", "doc": "notes", "seq": 1, "rev": 2, **fields}))

    def refuse(self, replica: Replica, code: str, **fields: Any) -> list[Any]:
        return finished(replica.received({"type": "error", "seq": 1, "code": code, "message": "", **fields}))

    def test_the_edits_of_the_ack_change_the_text(self) -> None:
        replica, push = writing()
        self.assertEqual(push, {"type": "push", "epoch": "e", "base": 1, "text": "Tea", "seq": 1})
        self.assertEqual(replica.draft.text, "Milk")
        replica.typed((Edit(4, 4, "!"),))
        done = self.ack(replica, edits=(Edit(0, 4, "Tea"),))
        self.assertEqual(done[0], Finish(1, 2))
        self.assertEqual(done[1].message["edits"], [{"range": (3, 3), "text": "!"}])
        self.assertEqual((replica.draft.text, replica.draft.committed), ("Tea!", "Tea"))

    def test_an_ack_without_room_for_its_edits_makes_the_client_load_the_text(self) -> None:
        replica, _ = writing()
        self.assertEqual(self.ack(replica), [CloseDocument(), OpenDocument(None)])
        done = finished(replica.received(opened(rev=3, text="Tea!", own={"seq": 1, "rev": 2})))
        self.assertEqual((done, replica.draft.text), ([Finish(1, 2)], "Tea!"))

    def test_a_text_that_changes_nothing_is_written_at_the_head(self) -> None:
        replica, _ = writing()
        self.assertEqual(self.ack(replica, rev=1, unchanged=True), [Finish(1, 1)])

    def test_a_repeat_is_word_for_word_and_is_finished_when_its_revision_has_arrived(self) -> None:
        replica, push = writing()
        replica.disconnected()
        replica.connected()
        done = replica.received({**opened(), "text": None, "resumed": True})
        self.assertEqual(finished(done), [SendPush(push)])
        self.assertEqual(self.ack(replica, rev=2, duplicate=True), [])
        edits = (Edit(0, 4, "Tea"),)
        done = replica.received({"type": "ack", "doc": "notes", "seq": 1, "rev": 2, "edits": edits})
        self.assertEqual((finished(done), replica.draft.text), ([Finish(1, 2)], "Tea"))

    def test_a_server_that_is_busy_is_asked_again(self) -> None:
        for code in RETRYABLE_CODES:
            replica, push = writing()
            self.assertEqual(self.refuse(replica, code, retry_after_ms=700), [RetryAfter(0.7)])
            self.assertEqual(finished(replica.time_passed()), [SendPush(push)])

    def test_every_other_refusal_goes_to_the_program(self) -> None:
        for code in {*ERROR_CODES, "new_code"} - RETRYABLE_CODES - {"seq_reused", "not_open"}:
            replica, _ = writing()
            self.assertEqual(self.refuse(replica, code), [Finish(1, 0, code)], code)
            self.assertFalse(replica.has_unsaved)

    def test_a_number_that_was_used_is_replaced(self) -> None:
        replica, push = writing()
        self.assertEqual(self.refuse(replica, "seq_reused"), [CloseDocument(), OpenDocument(("e", 1))])
        done = replica.received({**opened(own={"seq": 7, "rev": 1}), "text": None, "resumed": True})
        self.assertEqual(finished(done), [SendPush({**push, "seq": 8})])

    def test_a_text_that_waits_ends_if_the_document_opens_without_the_right_to_write(self) -> None:
        replica = Replica()
        self.assertEqual(finished(replica.wrote(Write(1, {}))), [])
        replica.connected()
        self.assertEqual(finished(replica.received(opened(rights="read"))), [Finish(1, 0, "forbidden")])

    def test_texts_that_wait_are_bounded(self) -> None:
        replica, _ = writing()
        for number in range(MOST_WRITES):
            replica.wrote(Write(number, {}))
        with self.assertRaises(CaretError) as failure:
            replica.wrote(Write(99, {}))
        self.assertEqual(failure.exception.code, "too_many")

    def test_texts_end_with_the_document_and_with_the_right_to_write(self) -> None:
        replica, _ = writing()
        replica.wrote(Write(2, {}))
        gone = replica.received({"type": "gone", "doc": "notes", "reason": "deleted"})
        self.assertEqual(finished(gone), [Finish(1, 0, "not_found"), Finish(2, 0, "not_found")])
        self.assertEqual(finished(replica.wrote(Write(3, {}))), [Finish(3, 0, "not_found")])
        replica, _ = writing()
        replica.wrote(Write(2, {}))
        lost = replica.received({"type": "rights", "doc": "notes", "rights": "read"})
        # The text that was sent gets its answer (rule R7).
        self.assertEqual(finished(lost), [Finish(2, 0, "forbidden")])
        self.assertEqual(finished(replica.wrote(Write(3, {}))), [Finish(3, 0, "forbidden")])


class RefusalTests(unittest.TestCase):
    def typing(self) -> tuple[Replica, Any]:
        """A replica that has sent an edit, and its push."""
        replica = Replica()
        replica.connected()
        replica.received(opened())
        return replica, self.pushed(replica.typed((Edit(4, 4, "!"),)))

    def pushed(self, done: Any) -> Any:
        return next((one.message for one in done if isinstance(one, SendPush)), None)

    def refuse(self, replica: Replica, push: Any, code: str, **fields: Any) -> Any:
        """The server refuses the push. The client opens the document again if it wants to. Returns the next push."""
        done = replica.received({"type": "error", "seq": push["seq"], "code": code, "message": "", **fields})
        opens = [one for one in done if isinstance(one, OpenDocument)]
        for one in done:
            if isinstance(one, RetryAfter):
                opens += [one for one in replica.time_passed() if isinstance(one, OpenDocument)]
        if opens:
            done = replica.received(opened() if opens[0].position is None else {**opened(), "text": None})
        return self.pushed(done)

    def test_edits_are_submitted_three_times_and_then_the_program_decides(self) -> None:
        for code in ("base_before_own_push", "epoch_changed", "base_ahead", "bad_range", "seq_reused", "base_trimmed"):
            with self.subTest(code):
                replica, push = self.typing()
                for seq in (2, 3, 4):
                    push = self.refuse(replica, push, code)
                    self.assertEqual((push["seq"], push["edits"][0]["text"]), (seq, "!"))
                self.assertIsNone(self.refuse(replica, push, code))
                self.assertEqual((replica.saving, replica.draft.text), (("refused", code), "Milk!"))
                self.assertEqual(self.pushed(replica.retried())["seq"], 5)

    def test_a_push_that_may_have_been_forgotten_is_not_submitted_again(self) -> None:
        replica, push = self.typing()
        replica.disconnected()
        replica.connected()
        self.assertEqual(self.pushed(replica.received({**opened(), "text": None})), push)
        self.assertIsNone(self.refuse(replica, push, "base_trimmed", cause="forgotten"))
        self.assertEqual(replica.saving, ("refused", "base_trimmed"))

    def test_a_push_that_the_server_would_remember_is_submitted_again(self) -> None:
        replica, push = self.typing()
        replica.disconnected()
        replica.connected()
        self.pushed(replica.received({**opened(own={"seq": 0, "rev": 1}), "text": None}))
        self.assertEqual(self.refuse(replica, push, "base_trimmed", cause="forgotten")["seq"], 2)

    def test_a_push_after_an_ack_would_be_remembered(self) -> None:
        replica, _ = self.typing()
        replica.received({"type": "ack", "doc": "notes", "seq": 1, "rev": 2})
        push = self.pushed(replica.typed((Edit(5, 5, "?"),)))
        replica.disconnected()
        replica.connected()
        replica.received(opened(rev=3, text="Milk!", own={"seq": 1, "rev": 2}))
        self.assertEqual(self.refuse(replica, push, "base_trimmed")["edits"][0]["text"], "?")

    def test_a_refused_push_stays_refused_over_the_next_connection(self) -> None:
        for code, rights, saving in (
            ("too_large", "write", ("refused", "too_large")), ("forbidden", "read", ("refused", "forbidden")),
            ("forbidden", "write", ("sending", None)),
        ):
            with self.subTest(code=code, rights=rights):
                replica, push = self.typing()
                self.assertIsNone(self.refuse(replica, push, code))
                replica.disconnected()
                replica.connected()
                replica.received({**opened(rights=rights), "text": None})
                self.assertEqual(replica.saving, saving)

    def test_a_refused_push_that_was_sent_twice_is_retried_when_its_copies_are_handled(self) -> None:
        replica, push = self.typing()
        replica.disconnected()
        replica.connected()
        replica.received({**opened(), "text": None})
        self.assertIsNone(self.refuse(replica, push, "too_large"))
        self.assertEqual(finished(replica.retried()), [CloseDocument(), OpenDocument(("e", 1))])
        self.assertEqual(self.pushed(replica.received({**opened(), "text": None}))["seq"], 2)

    def test_a_refused_push_of_which_a_copy_was_committed_is_saved(self) -> None:
        replica, push = self.typing()
        self.assertIsNone(self.refuse(replica, push, "too_large"))
        replica.disconnected()
        replica.connected()
        replica.received({**opened(own={"seq": 1, "rev": 2}), "text": None})
        replica.received({"type": "ack", "doc": "notes", "seq": 1, "rev": 2, "edits": (Edit(4, 4, "!"),)})
        self.assertEqual((replica.saving, replica.draft.text), (("saved", None), "Milk!"))

    def test_a_push_goes_on_under_another_name(self) -> None:
        replica, push = self.typing()
        done = replica.received({"type": "gone", "doc": "notes", "reason": "renamed", "to": "new"})
        self.assertEqual(finished(done), [OpenDocument(("e", 1))])
        self.assertEqual(self.pushed(replica.received({**opened(), "text": None})), push)

    def test_a_push_that_the_server_has_rebased_otherwise_is_where_the_server_has_it(self) -> None:
        replica, push = self.typing()
        replica.disconnected()
        replica.connected()
        # The replica knows only the difference to this text, and would put the edit after it.
        self.assertEqual(self.pushed(replica.received(opened(rev=5, text="Milk and tea"))), push)
        self.assertEqual(replica.draft.text, "Milk and tea!")
        replica.received({"type": "ack", "doc": "notes", "seq": 1, "rev": 6, "edits": (Edit(4, 4, "!"),)})
        self.assertEqual((replica.draft.text, replica.saving), ("Milk! and tea", ("saved", None)))
        replica, push = self.typing()
        done = replica.received({"type": "ack", "doc": "notes", "seq": 1, "rev": 2, "edits": (Edit(9, 9, "!"),)})
        self.assertEqual(finished(done), [CloseDocument(), OpenDocument(None)])

    def test_the_ack_of_another_push_is_the_next_revision_if_it_has_edits(self) -> None:
        ack = {"type": "ack", "doc": "notes", "seq": 9, "rev": 2}
        replica, _ = self.typing()
        done = replica.received({**ack, "edits": (Edit(0, 0, "Oat "),)})
        self.assertEqual((finished(done), replica.draft.text, replica.next_seq), ([], "Oat Milk!", 10))
        replica, _ = self.typing()
        self.assertEqual(finished(replica.received(ack)), [CloseDocument(), OpenDocument(None)])

    def test_the_selections_of_others_are_shown_again_when_the_user_types(self) -> None:
        replica, _ = self.typing()
        peer = {"type": "peer", "doc": "notes", "session": "s", "rev": 1, "selections": (Selection(4, 4),)}
        self.assertIn(ShowPeers(), replica.received(peer))
        self.assertIn(ShowPeers(), replica.typed((Edit(0, 0, "Oat "),)))
        self.assertEqual(replica.peers, {"s": (Selection(9, 9),)})
        self.assertIn(ShowPeers(), replica.disconnected())
        self.assertEqual(replica.peers, {})


class StreamTests(unittest.TestCase):
    """Messages that few conversations have."""

    def open(self, **settings: Any) -> Replica:
        replica = Replica(**settings)
        replica.connected()
        replica.received(opened())
        return replica

    def test_an_open_that_a_busy_server_refuses_is_repeated_after_growing_delays(self) -> None:
        replica = Replica()
        replica.connected()
        for delay in (0.5, 1, 2):
            refusal = {"type": "error", "id": 1, "code": "overloaded", "message": ""}
            self.assertEqual(finished(replica.received(refusal)), [RetryAfter(delay)])
            self.assertEqual(finished(replica.time_passed()), [OpenDocument(None)])
        self.assertEqual(finished(replica.received({**refusal, "retry_after_ms": 70})), [RetryAfter(0.07)])

    def test_a_delay_has_passed_at_its_end_and_not_before(self) -> None:
        document = DocumentState("notes", lambda: 1)
        document.welcomed(5)
        refusal = {"type": "error", "id": 1, "code": "overloaded", "message": "", "retry_after_ms": 500}
        document.received(refusal, 5)
        self.assertEqual((document.retry_at, document.time_passed(5.4)), (5.5, []))
        self.assertEqual([one.message["type"] for one in document.time_passed(5.5) if isinstance(one, Send)], ["open"])

    def test_a_document_that_the_server_has_open_is_closed_first(self) -> None:
        replica = Replica()
        replica.connected()
        done = replica.received({"type": "error", "id": 1, "code": "already_open", "message": ""})
        self.assertEqual(finished(done), [CloseDocument(), OpenDocument(None)])

    def test_a_document_that_the_server_has_closed_is_opened_and_the_push_repeated(self) -> None:
        replica = self.open()
        push = next(one.message for one in replica.typed((Edit(0, 0, "x"),)) if isinstance(one, SendPush))
        done = replica.received({"type": "error", "seq": 1, "code": "not_open", "message": ""})
        self.assertEqual(finished(done), [CloseDocument(), OpenDocument(("e", 1))])
        self.assertEqual(finished(replica.received({**opened(), "text": None})), [SendPush(push)])

    def test_the_loss_of_all_rights_ends_the_document(self) -> None:
        replica = self.open()
        replica.received({"type": "rights", "doc": "notes", "rights": "none"})
        self.assertEqual(replica.saving, ("refused", "not_found"))
        replica = Replica()
        replica.connected()
        replica.received(opened(rights="none"))
        self.assertEqual(replica.saving, ("refused", "not_found"))

    def test_joined_revisions_are_one_change_unless_they_may_contain_a_push(self) -> None:
        joined = {"type": "change", "doc": "notes", "from": 1, "rev": 4, "edits": (Edit(0, 4, "Tea"),)}
        replica = self.open(watches=True)
        replica.received(joined)
        self.assertEqual((replica.draft.text, replica.revision), ("Tea", 4))
        replica = self.open()
        replica.typed((Edit(0, 0, "x"),))
        self.assertEqual(finished(replica.received(joined)), [CloseDocument(), OpenDocument(None)])

    def test_a_checksum_of_another_revision_makes_the_client_load_the_text(self) -> None:
        replica = self.open()
        done = replica.received({"type": "check", "doc": "notes", "rev": 2, "length": 4, "crc32": "0"})
        self.assertEqual(finished(done), [CloseDocument(), OpenDocument(None)])

    def test_a_rename_without_a_connection_waits_for_the_server(self) -> None:
        replica = self.open()
        replica.disconnected()
        self.assertEqual(replica.received({"type": "gone", "doc": "notes", "reason": "renamed", "to": "new"}), [])


class LimitTests(unittest.TestCase):
    def test_requests_are_bounded(self) -> None:
        requests = PendingRequests()
        self.assertTrue(all(requests.add(id, {"type": "list"}) for id in range(MOST_UNANSWERED)))
        self.assertFalse(requests.add(MOST_UNANSWERED, {"type": "list"}))
        self.assertEqual([one.id for one in requests.next_to_send()], list(range(16)))
        self.assertEqual(requests.next_to_send(), [])
        self.assertFalse(requests.complete(16) or requests.complete("0"))
        self.assertTrue(requests.complete(3))
        self.assertEqual([one.id for one in requests.next_to_send()], [16])
        self.assertEqual(len(requests.remove_all()), MOST_UNANSWERED - 1)

    def test_delays_are_bounded(self) -> None:
        backoff = Backoff()
        self.assertEqual([backoff.next_delay() for _ in range(9)], [0.5, 1, 2, 4, 8, 16, 30, 30, 30])
        self.assertEqual(backoff.next_delay(1e9), LONGEST_REQUESTED_DELAY)
        rotation = ServerRotation(["a", "b"])
        self.assertIsNone(rotation.failed("down", 5, 0, 0).delay)
        self.assertEqual(rotation.failed("down", 2, 0, 0), ("a: down; b: down", 2))
        rotation = ServerRotation(["a"])
        self.assertEqual(rotation.failed("down", 1e9, 0, 0).delay, LONGEST_REQUESTED_DELAY)
        self.assertLessEqual(max(rotation.failed("down", 0, 0, 0.99).delay or 0 for _ in range(50)), 30)

    def test_every_code_has_a_recovery(self) -> None:
        asks = {code for code in ERROR_CODES if recovery_of(code) is Recovery.ASK_USER}
        self.assertIn("forbidden", asks)
        self.assertEqual(asks & RETRYABLE_CODES, set())
        self.assertLessEqual(RETRYABLE_CODES, ERROR_CODES)
        self.assertIs(recovery_of("new_code"), Recovery.ASK_USER)

    def test_a_client_that_has_ended_answers_every_request_with_the_reason(self) -> None:
        state = ClientState(["a"], "client-1")
        first, _ = state.requested({"type": "list"})
        ended = state.closed(0)
        self.assertEqual([one.error.code for one in ended if getattr(one, "id", None) == first], ["closed"])
        _, (failure,) = state.requested({"type": "list"})
        self.assertEqual(failure.error.code, "closed")  # type: ignore[union-attr]
        self.assertEqual((state.closed(0), state.started(0), state.disconnected("cut", 0, 0)), ([], [], []))


class AddressTests(unittest.TestCase):
    def test_addresses(self) -> None:
        for text, host, port in (
            ("127.0.0.1", "127.0.0.1", 22738), ("localhost:1", "localhost", 1), ("::1", "::1", 22738),
            ("[::1]:7", "::1", 7), ("caret://example.org", "example.org", 22738),
            ("carets://example.org:7/", "example.org", 7),
        ):
            address = parse_address(text)
            self.assertEqual((address.host, address.port, address.path), (host, port, ""))
            self.assertEqual(address.is_secure, text.startswith("carets"))
        self.assertEqual(parse_address("data/caretd.sock").path, "data/caretd.sock")
        pin = "AB:" * 31 + "AB"
        self.assertEqual(parse_address(f"carets://a?pin={pin}").pin, "ab" * 32)
        self.assertEqual(parse_address("carets://a?trust=b.pem").trust, "b.pem")

    def test_what_is_no_address_is_refused(self) -> None:
        for text in (
            "", "http://a", "caret://", "a:99999", "a:0", "a:b", "caret://a?pin=ab", "carets://a?pin=ab",
            "carets://a?x=1",
            "caret://a/b", f"carets://a?trust=b&pin={'a' * 64}",
        ):
            with self.subTest(text), self.assertRaises(CaretError) as failure:
                parse_address(text)
            self.assertEqual(failure.exception.code, "malformed")


if __name__ == "__main__":
    unittest.main()
