# The loop of a full client, as docs/tutorial-client.md has it in pseudo code, without connection, clock and disk.
#
# Each event is a method. What the client sends is in `lines`, what it does to the text that its user sees in `view`,
# and how long it waits in `retry_after`: whoever calls a method empties them first.
import zlib
from draft import apply, difference, from_wire, map_selection, normal, rebase, to_wire

WAIT = {"rate_limited", "overloaded", "storage_full", "storage_failed", "internal", "shutting_down", "push_in_flight"}


def compose(first, second):
    """One change that does what both do, one after the other."""
    # The text after `first`, as pieces: what is inserted, and what stays of the old text.
    pieces, at = [], 0
    for start, end, text in first:
        pieces += [(at, start), text]
        at = end
    pieces.append((at, float("inf")))
    for start, end, text in reversed(second):
        pieces = piece_range(pieces, 0, start) + [text] + piece_range(pieces, end, float("inf"))
    edits, at, inserted = [], 0, ""
    for piece in pieces:
        if isinstance(piece, str):
            inserted += piece
        elif piece[0] < piece[1]:
            edits.append((at, piece[0], inserted))
            at, inserted = piece[1], ""
    return normal(edits)


def piece_range(pieces, start, end):
    """The pieces between two offsets."""
    found, at = [], 0
    for piece in pieces:
        size = len(piece) if isinstance(piece, str) else piece[1] - piece[0]
        low, high = max(start - at, 0), min(end - at, size)
        if low < high:
            found.append(piece[low:high] if isinstance(piece, str) else (piece[0] + low, piece[0] + high))
        at += size
    return found


def map_all(selections, change):
    return [list(map_selection(anchor, head, change)) for anchor, head in selections]


class FullClient:
    def __init__(self, doc):
        self.doc, self.committed, self.position, self.text = doc, "", None, ""
        self.in_flight, self.push, self.outcome, self.unsent, self.next_seq = [], None, None, [], 1
        self.selections, self.sent, self.sent_at, self.peers = [], None, 0, {}
        self.link, self.rights, self.refused, self.is_waiting, self.is_trusted = "offline", "write", None, False, True
        self.lines, self.view, self.retry_after = [], [], None

    # The user.

    def typed(self, change):
        self.text = apply(self.text, change)
        self.unsent = compose(self.unsent, change)
        self.selections = map_all(self.selections, change)
        self.send()

    def selected(self, selections):
        self.selections = selections
        self.send()

    def retry(self):
        if self.outcome == "refused":
            self.take_back()
        self.refused, self.is_waiting = None, False
        if self.link == "closed":
            self.open()
        self.send()

    def discard(self):
        self.view = difference(self.text, self.committed)
        self.text, self.in_flight, self.unsent = self.committed, [], []
        self.push = self.outcome = self.refused = None
        self.send()

    # Sending.

    def say(self, **message):
        self.lines.append({**message, "doc": self.doc})

    def send(self):
        if self.link != "open":
            return
        if not self.push and not self.unsent and (self.sent or []) != self.selections:
            self.say(type="select", rev=self.position["rev"], selections=self.selections)
            self.sent, self.sent_at = self.selections, self.position["rev"]
        if self.rights != "write" or self.refused or self.is_waiting:
            return
        if not self.push and self.unsent:
            self.in_flight, self.unsent = self.unsent, []
            self.push = dict(
                type="push", epoch=self.position["epoch"], base=self.position["rev"], seq=self.next_seq,
                edits=to_wire(self.in_flight))
            self.next_seq += 1
            self.outcome = "awaited"
            self.say(**self.push)
        elif self.push and self.outcome == "unknown":
            self.outcome = "awaited"
            self.say(**self.push)

    def open(self, whole=False):
        self.link, self.is_trusted = "opening", self.is_trusted and not whole
        self.say(type="open", **(self.position if self.position and self.is_trusted else {}))

    def reopen(self, whole=False):
        self.lose_answer()
        self.say(type="close")
        self.open(whole)

    # Moving.

    def map_committed(self, change):
        self.peers = {session: map_all(selections, change) for session, selections in self.peers.items()}
        self.sent = self.sent and map_all(self.sent, change)

    def receive(self, theirs):
        self.committed = apply(self.committed, theirs)
        past = rebase(theirs, self.in_flight, "selfFirst")
        self.in_flight = rebase(self.in_flight, theirs, "otherFirst")
        view = rebase(past, self.unsent, "selfFirst")
        self.unsent = rebase(self.unsent, past, "otherFirst")
        self.text = apply(self.text, view)
        self.view = compose(self.view, view)
        self.selections = map_all(self.selections, view)

    def settle(self, target):
        self.committed = apply(self.committed, self.in_flight)
        self.in_flight, self.push, self.outcome, self.refused = [], None, None, None
        self.receive(difference(self.committed, target))

    def check_outcome(self):
        if isinstance(self.outcome, int) and self.outcome <= self.position["rev"]:
            self.settle(self.committed)
        self.send()

    def take_text(self, m):
        self.map_committed(difference(self.committed, m["text"]))
        if self.push and m.get("own", {}).get("seq") == self.push["seq"]:
            self.settle(m["text"])
        else:
            self.receive(difference(self.committed, m["text"]))
        self.position = {"epoch": m["epoch"], "rev": m["rev"]}

    def take_back(self):
        self.unsent = compose(self.in_flight, self.unsent)
        self.in_flight, self.push, self.outcome = [], None, None

    def lose_answer(self):
        if self.outcome == "awaited" or isinstance(self.outcome, int):
            self.outcome = "unknown"

    # The connection and the clock.

    def connected(self):
        self.open()

    def cut(self):
        self.lose_answer()
        self.peers, self.link, self.is_waiting = {}, "offline", False

    def waited(self):
        self.is_waiting = False
        self.send()

    # The server.

    def hear(self, m):
        about_link = m["type"] in ("opened", "gone") or m["type"] == "error" and "seq" not in m
        # What comes between closing and opening again is about an earlier opening.
        if about_link or self.link == "open":
            getattr(self, "on_" + m["type"], lambda m: None)(m)

    def on_opened(self, m):
        own = m.get("own", {"seq": 0})
        self.next_seq, self.sent = max(self.next_seq, own["seq"] + 1), None
        if "text" in m:
            self.is_trusted = True
            self.take_text(m)
        elif self.push and own["seq"] == self.push["seq"]:
            self.outcome = own["rev"]
        self.peers = {peer["session"]: peer["selections"] for peer in m["peers"]}
        self.link, self.rights = "open", m["rights"]
        self.check_outcome()

    def on_resync(self, m):
        self.next_seq, self.sent = max(self.next_seq, m.get("own", {"seq": 0})["seq"] + 1), None
        self.lose_answer()
        self.take_text(m)
        self.check_outcome()

    def on_change(self, m):
        if m["rev"] != self.position["rev"] + 1:
            return self.reopen(whole=True)
        self.map_committed(from_wire(m["edits"]))
        self.receive(from_wire(m["edits"]))
        self.position["rev"] = m["rev"]
        self.check_outcome()

    def on_ack(self, m):
        is_mine = self.push and m["seq"] == self.push["seq"]
        if not m.get("duplicate") and not m.get("unchanged") and m["rev"] == self.position["rev"] + 1:
            self.position["rev"] = m["rev"]
            edits = from_wire(m["edits"] if "edits" in m else self.push["edits"])
            self.map_committed(edits)
            self.settle(apply(self.committed, edits)) if is_mine else self.receive(edits)
        elif is_mine:
            self.outcome = m["rev"]
        self.check_outcome()

    def on_error(self, m):
        code = m["code"]
        if "seq" not in m:
            self.link, self.refused = "closed", code
            return
        if not self.push or m["seq"] != self.push["seq"] or self.outcome != "awaited":
            return
        if code in WAIT:
            self.outcome, self.is_waiting, self.retry_after = "unknown", True, m.get("retry_after_ms", 500)
        elif code == "not_open":
            self.reopen()
        elif code in ("epoch_changed", "base_trimmed", "base_before_own_push"):
            is_same = self.position == {"epoch": self.push["epoch"], "rev": self.push["base"]}
            self.take_back()
            self.reopen(whole=True) if is_same else self.send()
        elif code in ("base_ahead", "bad_range", "seq_reused"):
            self.take_back()
            self.reopen(whole=code != "seq_reused")
        elif code in ("not_found", "damaged"):
            self.lose_answer()
            self.link, self.refused = "closed", code
        else:
            self.outcome, self.refused = "refused", code

    def on_gone(self, m):
        self.lose_answer()
        if m["reason"] == "renamed" and "to" in m:
            self.refused, self.doc = None, m["to"]
            self.open()
        else:
            self.link, self.refused = "closed", "damaged" if m["reason"] == "damaged" else "not_found"

    def on_rights(self, m):
        self.rights = m["rights"]
        if self.rights == "write" and self.refused == "forbidden":
            self.refused = None
            self.take_back()
        self.send()

    def on_check(self, m):
        # Pairs of surrogates, of which the tests make a text, are one scalar again.
        text = self.committed.encode("utf-16", "surrogatepass").decode("utf-16")
        if m["rev"] != self.position["rev"] or int(m["crc32"], 16) != zlib.crc32(text.encode()):
            self.say(type="diverged", rev=self.position["rev"])
            self.reopen(whole=True)
        elif self.sent_at < m["rev"]:
            self.sent = None
            self.send()

    def on_peer(self, m):
        if m.get("left"):
            self.peers.pop(m["session"], None)
        elif m["rev"] == self.position["rev"]:
            self.peers[m["session"]] = m["selections"]

    # What the user is shown.

    def drawn(self, selections):
        """Selections in the committed text, where they are in what the user sees."""
        return map_all(map_all(selections, self.in_flight), self.unsent)

    def saving(self):
        """What became of what was typed, and the error code where it is refused."""
        if self.refused:
            return "refused", self.refused
        if self.link != "open":
            return "offline" if self.position else "opening", None
        if not self.push and not self.unsent:
            return "saved", None
        return ("sending", None) if self.rights == "write" else ("refused", "forbidden")
