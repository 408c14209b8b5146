"""Edits, changes and selections as values, by the rules of docs/protocol/transforms.md.

A change is a tuple of edits. All offsets of a change refer to the text before the change, the edits ascend, and they
do not overlap. In normal form, no edit is empty and no two edits touch; every function here returns normal form.
Offsets count Unicode scalars, as offsets in a Python string do.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from .errors import CaretError

Tie = Literal["self_first", "other_first"]
"""Which change was committed first: the one that moves, or the one that it moves over."""


class Edit(NamedTuple):
    """Replaces the old text from `start` to `end` by `text`."""

    start: int
    end: int
    text: str


class Selection(NamedTuple):
    """From the anchor to the head. An empty selection is a caret."""

    anchor: int
    head: int


Edits = tuple[Edit, ...]
"""A change in normal form."""


def normal(edits: Iterable[Edit]) -> Edits:
    """The same change, with touching edits joined and empty ones left out."""
    change: list[Edit] = []
    texts: list[str] = []
    for start, end, text in edits:
        if change and change[-1].end == start:
            change[-1] = Edit(change[-1].start, end, "")
            texts[-1] += text
        elif start < end or text:
            change.append(Edit(start, end, ""))
            texts.append(text)
    return tuple(Edit(start, end, text) for (start, end, _), text in zip(change, texts))


def checked(edits: Sequence[Edit], length: int) -> Edits:
    """The edits of a program as a change. Raises a CaretError if a document cannot have it."""
    for index, edit in enumerate(edits):
        check_text(edit.text, f"edit {index}")
    return fitted(edits, length)


def fitted(edits: Sequence[Edit], length: int) -> Edits:
    """The edits as a change in normal form. Raises a CaretError if they do not fit a text of this length."""
    last = 0
    for index, (start, end, _) in enumerate(edits):
        if not 0 <= start <= end <= length:
            message = f"edit {index}: the range {start}..<{end} does not fit a text of {length} scalars"
            raise CaretError("outside", message)
        if start < last:
            raise CaretError("out_of_order", f"edit {index} begins at {start}, before the previous edit ends at {last}")
        last = end
    return normal(edits)


def check_text(text: str, place: str) -> None:
    """Raises a CaretError if a document cannot have this text in an edit."""
    if "\r" in text:
        raise CaretError("carriage_return", f"{place}: there is a carriage return at {text.index(chr(13))}")
    check_scalars(text, place)


def check_scalars(text: str, place: str) -> None:
    """Raises a CaretError if the text has a lone surrogate, which UTF-8 cannot have."""
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise CaretError("lone_surrogate", f"{place}: there is a lone surrogate at {error.start}") from None


def apply(text: str, change: Edits) -> str:
    """The text after a change that fits it."""
    if len(change) == 1:
        start, end, new = change[0]
        return text[:start] + new + text[end:]
    parts: list[str] = []
    at = 0
    for start, end, new in change:
        parts += (text[at:start], new)
        at = end
    parts.append(text[at:])
    return "".join(parts)


def rebase(change: Edits, over: Edits, tie: Tie) -> Edits:
    """The change as it reads after `over`, which was made to the same text."""
    if not change or not over:
        return change
    pieces: list[Edit] = []
    first = 0  # The edits of `over` before this index end before `start`, and moved the rest by `moved`.
    moved = 0
    for start, end, text in change:
        while first < len(over) and over[first].end <= start and over[first].start < start:
            moved += _growth(over[first])
            first += 1
        pieces += _rebased_edit(Edit(start, end, text), over, first, moved, tie)
    return normal(pieces)


def _growth(edit: Edit) -> int:
    return len(edit.text) - (edit.end - edit.start)


def _rebased_edit(edit: Edit, over: Edits, first: int, moved: int, tie: Tie) -> list[Edit]:
    """The edit's insertion, and then the pieces of its range that `over` has left."""
    start, end, text = edit
    at, shift = start + moved, moved
    pieces: list[Edit] = []
    index = first
    while index < len(over) and over[index].start <= start:
        s, e, t = over[index]
        if s < start or tie == "other_first":
            at += len(t) - (min(e, start) - s)
        if e > start:
            break
        shift += _growth(over[index])
        index += 1
    pieces.append(Edit(at, at, text))
    while index < len(over) and over[index].start < end:
        s, e, _ = over[index]
        if start < s:
            pieces.append(Edit(start + shift, s + shift, ""))
        start, shift = max(start, e), shift + _growth(over[index])
        index += 1
    if start < end:
        pieces.append(Edit(start + shift, end + shift, ""))
    return pieces


def compose(first: Edits, second: Edits) -> Edits:
    """One change that does what both do, one after the other."""
    if not first or not second:
        return first or second
    output = _Output(first)
    for start, end, text in second:
        output.keep(start)
        output.insert(text)
        output.drop(end)
    return output.finish()


class _Output:
    """The text after a change, read from left to right and changed once more while it is read."""

    def __init__(self, change: Edits) -> None:
        self._change = change
        self._next = 0  # The next edit of `change`.
        self._inserted = ""  # The text of the edit before it.
        self._used = 0  # How much of this text was passed.
        self._old = 0  # The offset in the old text that comes after `_inserted`.
        self._at = 0  # The offset in the text after the change.
        self._edits: list[Edit] = []
        self._begun = 0  # The offset in the old text at which the edit that is being written begins.
        self._text: list[str] = []

    def insert(self, text: str) -> None:
        self._text.append(text)

    def keep(self, end: int) -> None:
        """Keeps the text up to this offset."""
        self._advance(end, keeps=True)

    def drop(self, end: int) -> None:
        """Leaves out the text up to this offset."""
        self._advance(end, keeps=False)

    def finish(self) -> Edits:
        """Keeps the rest."""
        self._text.append(self._inserted[self._used :])
        for edit in self._change[self._next :]:
            if self._old < edit.start:
                self._write()
                self._begun = edit.start
            self._text.append(edit.text)
            self._old = edit.end
        self._write()
        return normal(self._edits)

    def _advance(self, end: int, keeps: bool) -> None:
        while self._at < end:
            if self._used < len(self._inserted):
                count = min(end - self._at, len(self._inserted) - self._used)
                if keeps:
                    self._text.append(self._inserted[self._used : self._used + count])
                self._used += count
            else:
                count = self._pass_old(end - self._at, keeps)
            self._at += count

    def _pass_old(self, most: int, keeps: bool) -> int:
        """Passes old text, or enters the next edit of the change. Returns how much of the new text was passed."""
        if self._next < len(self._change) and self._change[self._next].start == self._old:
            edit = self._change[self._next]
            self._next += 1
            self._inserted, self._used, self._old = edit.text, 0, edit.end
            return 0
        count = most
        if self._next < len(self._change):
            count = min(most, self._change[self._next].start - self._old)
        if keeps:
            self._write()
            self._begun = self._old + count
        self._old += count
        return count

    def _write(self) -> None:
        self._edits.append(Edit(self._begun, self._old, "".join(self._text)))
        self._text = []


def compose_all(changes: Sequence[Edits]) -> Edits:
    """One change for many that follow each other. It composes neighbours, so no single step is large for long."""
    while len(changes) > 1:
        pairs = [compose(*changes[index : index + 2]) for index in range(0, len(changes) - 1, 2)]
        changes = pairs + list(changes[len(changes) - len(changes) % 2 :])
    return changes[0] if changes else ()


def difference(old: str, new: str) -> Edits:
    """One edit that turns `old` into `new`, or none."""
    start = _common_prefix(old, new)
    most = min(len(old), len(new)) - start
    end = _longest(most, lambda count: old.endswith(new[len(new) - count :]) if count else True)
    return normal([Edit(start, len(old) - end, new[start : len(new) - end])])


def _common_prefix(old: str, new: str) -> int:
    return _longest(min(len(old), len(new)), lambda count: old.startswith(new[:count]))


def _longest(most: int, holds: Callable[[int], bool]) -> int:
    """The largest number up to `most` for which `holds` is true. It is true for every smaller number."""
    least = 0
    while least < most:
        middle = (least + most + 1) // 2
        if holds(middle):
            least = middle
        else:
            most = middle - 1
    return least


class Mapping:
    """Moves carets and selections over one change."""

    def __init__(self, change: Edits) -> None:
        self._change = change
        self._starts = [edit.start for edit in change]
        self._growths = [0, *accumulate(_growth(edit) for edit in change)]

    def caret(self, at: int) -> int:
        """Text that is inserted at the caret goes before it."""
        count = bisect_right(self._starts, at)
        inside = self._change[count - 1].end - at if count else 0
        return at + self._growths[count] + max(inside, 0)

    def selection(self, selection: Selection) -> Selection:
        """Text that is inserted at the start or at the end of a selection stays outside."""
        anchor, head = selection
        start, end = min(anchor, head), max(anchor, head)
        new_start = self.caret(start)
        if start == end:
            return Selection(new_start, new_start)
        new_end = max(new_start, self._end(end))
        return Selection(new_start, new_end) if anchor < head else Selection(new_end, new_start)

    def _end(self, at: int) -> int:
        count = bisect_left(self._starts, at)
        if count and self._change[count - 1].end >= at:
            return at + self._growths[count - 1] - (at - self._change[count - 1].start)
        return at + self._growths[count]


Selections = tuple[Selection, ...]


def map_selections(selections: Selections, change: Edits) -> Selections:
    """The selections after a change."""
    if not selections or not change:
        return selections
    mapping = Mapping(change)
    return tuple(mapping.selection(selection) for selection in selections)
