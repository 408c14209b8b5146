"""The selections in a document: the user's own in the text that they see, and those of others in the committed text."""

from __future__ import annotations

from .changes import Edits, Selections, map_selections

MOST_SELECTIONS = 20_000
"""A document has at most so many selections (rule S9), and the client stores no more. A session counts as one more."""


class Presence:
    """Own selections and those of the other sessions."""

    def __init__(self) -> None:
        self.own: Selections | None = None
        """None until the user has selected something."""
        self.sent: Selections | None = None
        """The user's selections as the server has them; None if it has none, or may have dropped them."""
        self.sent_at = 0
        """The revision at which they were sent."""
        self.peers: dict[str, Selections] = {}
        """By session, in the order in which they appeared."""
        self._size = 0

    def to_send(self, revision: int) -> Selections | None:
        """What the server must know, or None if it does. Only while the user sees the committed text."""
        if self.own is None or self.sent == self.own:
            return None
        self.sent, self.sent_at = self.own, revision
        return self.own

    def reached_head(self, revision: int) -> None:
        """`revision` is the newest one. The server may have dropped selections that were sent before it."""
        if self.sent_at < revision:
            self.sent = None

    def view_changed(self, change: Edits) -> None:
        if self.own:
            self.own = map_selections(self.own, change)

    def committed_changed(self, change: Edits) -> None:
        if self.sent:
            self.sent = map_selections(self.sent, change)
        if self.peers:
            self.peers = {session: map_selections(one, change) for session, one in self.peers.items()}

    def replace_peers(self, peers: dict[str, Selections], length: int) -> None:
        self.peers, self._size = {}, 0
        for session, selections in peers.items():
            self.put(session, selections, length)

    def put(self, session: str, selections: Selections, length: int) -> None:
        """Stores the selections of a session. Those that do not fit a text of this length are left out."""
        fitting = tuple(one for one in selections if max(one) <= length)
        size = self._size + len(fitting) - len(self.peers.get(session, ())) + (session not in self.peers)
        if size <= MOST_SELECTIONS:
            self._size, self.peers[session] = size, fitting

    def remove(self, session: str) -> bool:
        """Returns false if there is no such session."""
        if session not in self.peers:
            return False
        self._size -= 1 + len(self.peers.pop(session))
        return True
