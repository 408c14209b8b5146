"""What a replica does with the messages of the server.

A message that does not fit the replica makes it open the document again. After several opens, the owner passes in only
the answer to the last one; until it arrives, other messages belong to an earlier open.
"""

from __future__ import annotations

import zlib

from .actions import Finish, ReplicaAction, ReportDivergence, RetryAfter
from .changes import Edits, apply, difference, fitted
from .errors import CaretError
from .refusals import Recovery, recovery_of
from .replica import MOST_RESUBMISSIONS, InFlight, Link, Outcome, ReplicaProgram
from .wire import MOST_INTEGER, Message


class Replica(ReplicaProgram):
    """A document of a client. See replica.py."""

    def received(self, message: Message) -> list[ReplicaAction]:
        """Handles a message about this document. An `error` is about a push, if it has a `seq`, or about an open."""
        kind = message["type"]
        if kind == "opened":
            self._opened(message)
        elif kind == "error":
            self._refused(message)
        elif kind == "gone":
            self._gone(message)
        elif kind == "bye":
            self.go_offline()
        elif self.link is Link.OPEN:
            self._streamed(kind, message)
        return self.finish()

    def _streamed(self, kind: str, message: Message) -> None:
        if kind == "change":
            self._changed(message)
        elif kind == "ack":
            self._acked(message)
        elif kind == "resync":
            self._resynced(message)
        elif kind == "check":
            self._checked(message)
        elif kind == "peer":
            self._peer(message)
        elif kind == "rights":
            self._rights_changed(message["rights"])

    # Opening.

    def _opened(self, message: Message) -> None:
        if self.link is not Link.OPENING:
            return
        position = (message["epoch"], message["rev"])
        peers = {peer["session"]: peer["selections"] for peer in message.get("peers", [])}
        text, own = message.get("text"), message.get("own")
        if text is not None:
            self.needs_full_text = False
            self._replace_text(text, position, own)
        elif self.needs_full_text or position != self.position:
            return self.reload_text()
        else:
            # The selections of others follow when the stream has reached the head.
            peers = {session: () for session in peers}
            if own and self.in_flight and own["seq"] == self.in_flight.message["seq"]:
                self._resolve(self.in_flight, own["rev"])
        self.peers_changed = self.peers_changed or bool(peers or self.presence.peers)
        self.presence.replace_peers(peers, len(self.draft.committed))
        self.link = Link.OPEN
        self._record(own)
        self.presence.sent = None
        self._opened_with(message["rights"])

    def _opened_with(self, rights: str) -> None:
        self.rights = rights
        if rights == "none":
            return self.close("not_found")
        if rights != "write" or self.watches:
            self.fail_writes("forbidden")
        if self.refusal == "forbidden" and rights == "write":
            self.refusal = None
        # The server has handled all copies of the push before this open, so it cannot commit one any more.
        if self.refusal is None and self.in_flight and self.in_flight.outcome is Outcome.REFUSED:
            self.take_back()

    def _record(self, own: Message | None) -> None:
        """The server knows a number of this client that may be higher than its own."""
        self.is_known_to_server = own is not None
        if own:
            self.next_seq = max(self.next_seq, own["seq"] + 1)

    def _replace_text(self, text: str, position: tuple[str, int], own: Message | None) -> None:
        """Uses a whole text. Unsaved edits are rebased over the difference."""
        self.presence.committed_changed(difference(self.draft.committed, text))
        if own and self.in_flight and own["seq"] == self.in_flight.message["seq"]:
            self.show(self.draft.resolve(text))
            self.end_flight(own["rev"])
        else:
            self.show(self.draft.replace(text))
        self.position = position

    def _resynced(self, message: Message) -> None:
        own = message.get("own")
        self._replace_text(message["text"], (message["epoch"], message["rev"]), own)
        self._record(own)
        self.presence.sent = None
        if self.in_flight:
            self.in_flight.lose_answer()

    # The stream of revisions.

    def _changed(self, message: Message) -> None:
        start = message.get("from")
        revision = message["rev"]
        before = revision - 1 if start is None else start
        if before != self.revision or revision <= self.revision or revision >= MOST_INTEGER:
            return self.reload_text()
        # Only `own` of `opened` or `resync` shows whether a joined change contains the push in flight.
        if start is not None and self.in_flight is not None:
            return self.reload_text()
        if not self._advance(message["edits"], revision):
            return self.reload_text()
        if start is not None:
            # A joined change may move selections differently than its parts did on the server.
            self.presence.sent = None

    def _advance(self, edits: Edits, revision: int) -> bool:
        """Applies the edits of a revision. Returns false, and changes nothing, if they do not fit the text."""
        try:
            self.show(self.draft.advance(edits))
        except CaretError:
            return False
        self.presence.committed_changed(edits)
        self._reach(revision)
        return True

    def _reach(self, revision: int) -> None:
        assert self.position is not None
        self.position = (self.position[0], revision)

    def _acked(self, message: Message) -> None:
        seq, revision, flight = message["seq"], message["rev"], self.in_flight
        is_mine = flight is not None and flight.message["seq"] == seq
        is_commit = not message.get("duplicate") and not message.get("unchanged")
        if is_commit and revision == self.revision + 1:
            if flight is not None and is_mine:
                self._committed(flight, message, revision)
            # A push that the user has discarded, or a `restore` beside this document.
            elif "edits" not in message or not self._advance(message["edits"], revision):
                self.reload_text()
            else:
                self.next_seq = max(self.next_seq, seq + 1)
        elif flight is not None and is_mine:
            # The ack is only a reply. The replica has this revision already, or receives it later.
            self._resolve(flight, revision)

    def _committed(self, flight: InFlight, message: Message, revision: int) -> None:
        """The push in flight is the next revision."""
        has_edits, edits = "edits" in message, message.get("edits", flight.edits)
        if edits == self.draft.in_flight and not flight.write:
            self.draft.accept()
            self.presence.committed_changed(edits)
            self._reach(revision)
        elif flight.write:
            # Without room for its edits, an ack has none (rule P19). The whole text then has them.
            if not has_edits or not self._advance(edits, revision):
                return self.reload_text()
        elif not self._commit_other(edits, revision):
            return self.reload_text()
        self.is_known_to_server = True
        self.end_flight(revision)

    def _commit_other(self, edits: Edits, revision: int) -> bool:
        """The server has rebased the push over each revision, and this replica over the difference of two texts."""
        try:
            change = fitted(edits, len(self.draft.committed))
        except CaretError:
            return False
        self.show(self.draft.resolve(apply(self.draft.committed, change)))
        self.presence.committed_changed(change)
        self._reach(revision)
        return True

    def _resolve(self, flight: InFlight, revision: int) -> None:
        flight.outcome, flight.resolved_at = Outcome.RESOLVED, revision
        self.refusal = None

    def _checked(self, message: Message) -> None:
        revision, committed = message["rev"], self.draft.committed
        if revision != self.revision:
            return self.reload_text()
        checksum = f"{zlib.crc32(committed.encode('utf-8', 'surrogatepass')):08x}"
        if message["length"] != len(committed) or message["crc32"] != checksum:
            self.actions.append(ReportDivergence(revision))
            return self.reload_text()
        self.open_backoff.reset()
        self.presence.reached_head(revision)

    # Others, and rights.

    def _peer(self, message: Message) -> None:
        session = message["session"]
        if message.get("left"):
            self.peers_changed |= self.presence.remove(session)
        # Offsets of another revision do not fit. The next message will have newer ones.
        elif message.get("rev") == self.revision:
            self.presence.put(session, message.get("selections", ()), len(self.draft.committed))
            self.peers_changed = True

    def _rights_changed(self, rights: str) -> None:
        self.rights = rights
        if rights == "none":
            self.close("not_found")
        elif rights == "read":
            self.fail_waiting_writes("forbidden")
        elif self.refusal == "forbidden":
            self.retry_refused()

    def _gone(self, message: Message) -> None:
        reason, name = message["reason"], message.get("to")
        if reason == "renamed" and name is not None:
            self.renamed(name)
        # If the server has not answered the last open yet, its answer comes.
        elif self.link is Link.OPEN and reason in ("deleted", "renamed", "damaged"):
            self.close("damaged" if reason == "damaged" else "not_found")

    # Refusals.

    def _refused(self, message: Message) -> None:
        delay = message["retry_after_ms"] / 1000 if "retry_after_ms" in message else None
        if "seq" in message:
            if self.link is Link.OPEN:
                self._push_refused(message["seq"], message["code"], delay)
        elif self.link is Link.OPENING:
            self._open_refused(message["code"], delay)

    def _open_refused(self, code: str, delay: float | None) -> None:
        if recovery_of(code) is Recovery.RESEND_LATER:
            self.link = Link.WAITING
            self.actions.append(RetryAfter(self.open_backoff.next_delay(delay)))
        elif code == "already_open":
            self.reopen()
        else:
            self.close(code)

    def _push_refused(self, seq: int, code: str, delay: float | None) -> None:
        recovery, flight = recovery_of(code), self.in_flight
        # This error shows that the document is not open, whichever push was refused.
        if recovery is Recovery.REOPEN:
            return self.reopen()
        # An answer to an earlier copy of the push, or to a push that got a new number, is ignored.
        if flight is None or flight.message["seq"] != seq or flight.outcome is not Outcome.AWAITED:
            return
        flight.outcome = Outcome.UNKNOWN
        if recovery is Recovery.RESEND_LATER:
            self.is_waiting = True
            self.actions.append(RetryAfter(self.push_backoff.next_delay(delay)))
        elif flight.write:
            self._write_refused(flight, code)
        elif recovery in (Recovery.RESUBMIT, Recovery.RESUBMIT_AFTER_FULL_TEXT):
            self._resubmit(flight, code)
        elif recovery is Recovery.KEEP:
            self.close(code)
        else:
            self._ask_user(flight, code)

    def _write_refused(self, flight: InFlight, code: str) -> None:
        """A whole text is never rebased here, so the program decides; only its number can be replaced."""
        assert flight.write is not None
        self.in_flight = None
        if code == "seq_reused" and self.resubmissions < MOST_RESUBMISSIONS:
            self.resubmissions += 1
            self.writes.appendleft(flight.write)
            return self.reopen()
        self.actions.append(Finish(flight.write.number, 0, code))
        if code in ("not_found", "damaged"):
            self.close(code)

    def _resubmit(self, flight: InFlight, code: str) -> None:
        # The server may have committed the push long ago and forgotten this client since then. It would not recognise
        # the edits in a new push, and would commit them twice.
        may_be_forgotten = code == "base_trimmed" and flight.was_resent and not self.is_known_to_server
        if may_be_forgotten or self.resubmissions == MOST_RESUBMISSIONS:
            return self._ask_user(flight, code)
        self.resubmissions += 1
        self.take_back()
        sent = (flight.message["epoch"], flight.message["base"])
        # The server would refuse a new push at the same position, or in the same epoch, for the same reason.
        is_in_old_epoch = code == "epoch_changed" and self.position is not None and sent[0] == self.position[0]
        if code == "seq_reused":
            # The answer to the open has the highest number that was used.
            self.reopen()
        elif recovery_of(code) is Recovery.RESUBMIT_AFTER_FULL_TEXT or sent == self.position or is_in_old_epoch:
            self.reload_text()

    def _ask_user(self, flight: InFlight, code: str) -> None:
        flight.outcome, self.refusal = Outcome.REFUSED, code
