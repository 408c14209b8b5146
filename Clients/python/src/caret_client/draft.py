"""A committed text, and the changes to it that the server has not acked."""

from __future__ import annotations

from .changes import Edits, apply, compose, difference, fitted, rebase


class Draft:
    """Law: `text` is `committed` with `in_flight` and then `unsent` applied.

    Every method that changes the committed text returns the matching change of `text`.
    """

    def __init__(self) -> None:
        self.committed = ""
        self.in_flight: Edits = ()
        """What was sent last, rebased over all changes that were committed since. Empty if nothing is in flight."""
        self.unsent: Edits = ()
        self.text = ""
        """What the user sees."""

    @property
    def has_unsaved(self) -> bool:
        return bool(self.in_flight or self.unsent)

    def type(self, change: Edits) -> None:
        """Applies a change of the user, which fits `text`."""
        self.text = apply(self.text, change)
        self.unsent = compose(self.unsent, change)

    def send(self) -> None:
        """Puts the unsent change in flight."""
        self.in_flight, self.unsent = self.unsent, ()

    def take_back(self) -> None:
        """Makes the change in flight unsent again, because it was not committed."""
        self.in_flight, self.unsent = (), compose(self.in_flight, self.unsent)

    def accept(self) -> None:
        """The server has committed exactly the change in flight."""
        # Without unsent edits both texts are equal now, and share their memory.
        self.committed = apply(self.committed, self.in_flight) if self.unsent else self.text
        self.in_flight = ()

    def advance(self, change: Edits) -> Edits:
        """Applies a committed change. Raises a CaretError, and changes nothing, if it does not fit."""
        change = fitted(change, len(self.committed))
        self.committed = apply(self.committed, change)
        past = rebase(change, self.in_flight, "self_first")
        self.in_flight = rebase(self.in_flight, change, "other_first")
        view = rebase(past, self.unsent, "self_first")
        self.unsent = rebase(self.unsent, past, "other_first")
        self.text = apply(self.text, view) if self.has_unsaved else self.committed
        return view

    def replace(self, committed: str) -> Edits:
        """The committed text is another one now, without the change in flight."""
        return self.advance(difference(self.committed, committed))

    def resolve(self, committed: str) -> Edits:
        """The committed text is another one now, with what became of the change in flight."""
        self.accept()
        return self.replace(committed)

    def discard(self) -> Edits:
        """Drops all edits that are not committed."""
        change = difference(self.text, self.committed)
        self.text, self.in_flight, self.unsent = self.committed, (), ()
        return change
