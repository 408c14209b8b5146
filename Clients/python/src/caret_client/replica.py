"""One client's copy of one document: the committed text, the push in flight, unsent edits, and selections.

A replica uses no clock and no connection. Each event is a method that returns actions, which its owner runs in order.

Laws:
- The text is the committed text with the change in flight and then the unsent change applied.
- A view that starts empty and applies all typed changes and all ShowEdits, in order, shows the text.
- Every change is committed once or not at all, even if messages are lost. A push is always repeated unchanged. Its
  edits get a new number only after the server has refused the push for good.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum, auto

from .actions import (
    CloseDocument, Finish, OpenDocument, Rename, ReplicaAction, RetryAfter, SendPush, SendSelections, ShowEdits,
    ShowPeers, ShowSaving,
)
from .backoff import Backoff
from .changes import Edits, Selections, map_selections
from .draft import Draft
from .errors import CaretError
from .presence import Presence
from .wire import Message, wire_edits

MOST_RESUBMISSIONS = 3
"""How often in a row edits are submitted again under a new number before the program must decide."""
MOST_WRITES = 16
"""How many whole texts and restores of one document may wait."""


class Outcome(Enum):
    """What is known of the push in flight."""

    AWAITED = auto()
    """The server will answer on this connection."""
    UNKNOWN = auto()
    """No answer will come, so the push must be sent again."""
    RESOLVED = auto()
    """The text at revision `resolved_at` contains what became of the push. The replica has not received it yet."""
    REFUSED = auto()
    """The push was not committed, and the program must decide."""


@dataclass(slots=True)
class InFlight:
    """A push that the committed text does not contain yet."""

    message: Message
    """The push as it was sent first. It never changes, so that the server recognises a repeat."""
    edits: Edits
    """Its edits. Empty for a whole text and for a `restore`: they change the text when the server has answered."""
    write: Write | None
    """What the program waits for, if this is a whole text or a `restore`."""
    outcome: Outcome = Outcome.AWAITED
    resolved_at: int = 0
    was_resent: bool = False

    def lose_answer(self) -> None:
        """No answer will arrive on this connection any more."""
        if self.outcome in (Outcome.AWAITED, Outcome.RESOLVED):
            self.outcome = Outcome.UNKNOWN


@dataclass(frozen=True, slots=True)
class Write:
    """A whole text or a `restore` that the program wants to commit."""

    number: int
    message: Message
    """Without its `seq`."""


class Link(Enum):
    """Whether the document is open on the server."""

    OFFLINE = "offline"
    WAITING = "waiting"
    """The replica opens the document after a delay."""
    OPENING = "opening"
    """Messages that arrive before the answer belong to an earlier open."""
    OPEN = "open"
    CLOSED = "closed"
    """The document does not exist, or this client may not open it; `closed_code` says why."""


class ReplicaState:
    """The state of a replica, and how each of its events ends."""

    def __init__(self, watches: bool = False) -> None:
        self.watches = watches
        self.draft = Draft()
        self.in_flight: InFlight | None = None
        self.presence = Presence()
        self.writes: deque[Write] = deque()
        """What waits until nothing is in flight. Whole texts go before unsent edits, which are rebased over them."""
        self.position: tuple[str, int] | None = None
        """The epoch and revision of the committed text. None until the document was opened once."""
        self.next_seq = 1
        self.rights = "none"
        self.saving: tuple[str, str | None] = ("opening", None)
        """`opening`, `offline`, `sending`, `saved` or `refused`, and the code of the refusal."""
        self.link = Link.OFFLINE
        self.closed_code = ""
        self.refusal: str | None = None
        """Why the push in flight was refused. Nothing is sent until the program has decided."""
        self.is_waiting = False
        """The push in flight is repeated after a delay."""
        self.is_known_to_server = False
        """The server has acked or reported a push of this client, so it would recognise a repeat."""
        self.needs_full_text = False
        self.open_backoff = Backoff()
        self.push_backoff = Backoff()
        self.resubmissions = 0
        self.actions: list[ReplicaAction] = []
        self.peers_changed = False

    @property
    def revision(self) -> int:
        return self.position[1] if self.position else 0

    @property
    def has_unsaved(self) -> bool:
        return self.in_flight is not None or self.draft.has_unsaved or bool(self.writes)

    @property
    def selections(self) -> Selections:
        """The user's selections in the text."""
        return self.presence.own or ()

    @property
    def peers(self) -> dict[str, Selections]:
        """The selections of others in the text."""
        draft = self.draft
        return {
            session: map_selections(map_selections(one, draft.in_flight), draft.unsent)
            for session, one in self.presence.peers.items()
        }

    def finish(self) -> list[ReplicaAction]:
        """Ends an event: sends what can be sent, and returns all actions of the event."""
        self._finish_resolved()
        self._push()
        self._send_selections()
        if self.peers_changed:
            self.actions.append(ShowPeers())
        saving = self._current_saving()
        if saving != self.saving:
            self.saving = saving
            self.actions.append(ShowSaving())
        actions, self.actions, self.peers_changed = self.actions, [], False
        return actions

    def _push(self) -> None:
        can_send = self.link is Link.OPEN and not self.watches and self.refusal is None and not self.is_waiting
        if not can_send or self.rights != "write":
            return
        flight = self.in_flight
        if flight is None:
            self._push_next()
        elif flight.outcome is Outcome.UNKNOWN:
            flight.outcome, flight.was_resent = Outcome.AWAITED, True
            self.actions.append(SendPush(flight.message))

    def _push_next(self) -> None:
        assert self.position is not None
        if self.writes:
            write = self.writes.popleft()
            self.in_flight = InFlight({**write.message, "seq": self.next_seq}, (), write)
        elif self.draft.unsent:
            self.draft.send()
            edits, (epoch, base) = self.draft.in_flight, self.position
            message = {
                "type": "push", "epoch": epoch, "base": base, "seq": self.next_seq, "edits": wire_edits(edits),
            }
            self.in_flight = InFlight(message, edits, None)
        else:
            return
        self.next_seq += 1
        self.actions.append(SendPush(self.in_flight.message))

    def _send_selections(self) -> None:
        # An offset inside text that is not acked does not exist in the committed text. While the user only types, the
        # server moves the selections itself, so nothing must be sent.
        if self.link is not Link.OPEN or self.in_flight is not None or self.draft.has_unsaved:
            return
        selections = self.presence.to_send(self.revision)
        if selections is not None:
            self.actions.append(SendSelections(self.revision, selections))

    def _current_saving(self) -> tuple[str, str | None]:
        if self.refusal is not None:
            return "refused", self.refusal
        if self.link is Link.CLOSED:
            return "refused", self.closed_code
        if self.link is not Link.OPEN:
            return ("offline" if self.position else "opening"), None
        if not self.has_unsaved:
            return "saved", None
        return ("refused", "forbidden") if self.watches or self.rights != "write" else ("sending", None)

    def _finish_resolved(self) -> None:
        """Removes a resolved push once the committed text contains what became of it."""
        flight = self.in_flight
        if self.link is not Link.OPEN or flight is None or flight.outcome is not Outcome.RESOLVED:
            return
        if flight.resolved_at <= self.revision:
            self.show(self.draft.resolve(self.draft.committed))
            self.end_flight(flight.resolved_at)

    # Steps that several events share.

    def show(self, change: Edits) -> None:
        """The text that the user sees has changed."""
        self.presence.view_changed(change)
        if change:
            self.actions.append(ShowEdits(change))
        if self.presence.peers:
            self.peers_changed = True

    def open(self) -> None:
        self.link = Link.OPENING
        self.actions.append(OpenDocument(None if self.needs_full_text else self.position))

    def reopen(self) -> None:
        """Closes the document and opens it again: at first at once, then after growing delays."""
        if self.in_flight:
            self.in_flight.lose_answer()
        self.actions.append(CloseDocument())
        is_first = self.open_backoff.failures == 0
        delay = self.open_backoff.next_delay()
        if is_first:
            self.open()
        else:
            self.link = Link.WAITING
            self.actions.append(RetryAfter(delay))

    def reload_text(self) -> None:
        """Opens the document again with its whole text, because the server's messages do not fit the replica."""
        self.needs_full_text = True
        self.reopen()

    def close(self, code: str) -> None:
        """The client cannot read the document any more."""
        if self.in_flight:
            self.in_flight.lose_answer()
        self.link, self.closed_code = Link.CLOSED, code
        self.fail_writes(code)

    def end_flight(self, revision: int) -> None:
        """The committed text contains what became of the push in flight."""
        flight, self.in_flight = self.in_flight, None
        if flight and flight.write:
            self.actions.append(Finish(flight.write.number, revision))
        self.refusal, self.is_waiting, self.resubmissions = None, False, 0
        self.open_backoff.reset()
        self.push_backoff.reset()

    def take_back(self) -> None:
        """Makes the edits of the push in flight unsent again, because the push was not committed."""
        self.draft.take_back()
        self.in_flight = None

    def fail_writes(self, code: str) -> None:
        """Whole texts and restores end with this code. They are not repeated later: the text may be old then."""
        if self.in_flight and self.in_flight.write:
            self.actions.append(Finish(self.in_flight.write.number, 0, code))
            self.in_flight = None
        self.fail_waiting_writes(code)

    def fail_waiting_writes(self, code: str) -> None:
        """What was not sent ends with this code. What was sent gets its answer."""
        self.actions += [Finish(write.number, 0, code) for write in self.writes]
        self.writes.clear()


class ReplicaProgram(ReplicaState):
    """The events of the program, of the connection and of the clock."""

    def typed(self, change: Edits) -> list[ReplicaAction]:
        """The user has changed the text. The change fits it."""
        self.draft.type(change)
        self.presence.view_changed(change)
        if self.presence.peers:
            self.peers_changed = True
        return self.finish()

    def selected(self, selections: Selections) -> list[ReplicaAction]:
        self.presence.own = selections
        return self.finish()

    def wrote(self, write: Write) -> list[ReplicaAction]:
        """The program wants to commit a whole text or an old one."""
        if len(self.writes) >= MOST_WRITES:
            raise CaretError("too_many", f"{MOST_WRITES} texts of the document already wait, which is the limit")
        self.writes.append(write)
        if self.link is Link.CLOSED:
            self.fail_writes(self.closed_code)
        elif self.link is Link.OPEN and (self.watches or self.rights != "write"):
            self.fail_waiting_writes("forbidden")
        return self.finish()

    def retried(self) -> list[ReplicaAction]:
        """Tries refused edits again, perhaps after the user has changed them."""
        self.retry_refused()
        self.is_waiting = False
        if self.link in (Link.WAITING, Link.CLOSED):
            self.open()
        return self.finish()

    def discarded(self) -> list[ReplicaAction]:
        """Drops all edits that are not committed. The server may still commit a push that it has not answered."""
        self.show(self.draft.discard())
        if self.in_flight and not self.in_flight.write:
            self.in_flight = None
        self.refusal, self.is_waiting = None, False
        return self.finish()

    def connected(self) -> list[ReplicaAction]:
        if self.link is Link.OFFLINE:
            self.open_backoff.reset()
            self.push_backoff.reset()
            self.open()
        return self.finish()

    def disconnected(self) -> list[ReplicaAction]:
        self.go_offline()
        return self.finish()

    def go_offline(self) -> None:
        self.link, self.is_waiting = Link.OFFLINE, False
        if self.in_flight:
            self.in_flight.lose_answer()
        if self.presence.peers:
            self.presence.replace_peers({}, 0)
            self.peers_changed = True

    def time_passed(self) -> list[ReplicaAction]:
        self.is_waiting = False
        if self.link is Link.WAITING:
            self.open()
        return self.finish()

    def renamed(self, name: str) -> None:
        """The document has another name, and goes on under it."""
        if self.link is Link.OFFLINE:
            return
        if self.in_flight:
            self.in_flight.lose_answer()
        self.actions.append(Rename(name))
        self.open()

    def retry_refused(self) -> None:
        """Submits refused edits again as a new push."""
        self.refusal, self.resubmissions = None, 0
        self.push_backoff.reset()
        flight = self.in_flight
        if flight is None or flight.outcome is not Outcome.REFUSED:
            return
        if not flight.was_resent:
            self.take_back()
        elif self.link is Link.OPEN:
            # The server may still commit an earlier copy. It handles all copies before this new open, so the answer to
            # the open shows what became of them.
            self.reopen()
