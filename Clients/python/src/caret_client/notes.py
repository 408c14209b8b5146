"""The requests about notes: remarks on words of a document, answers to them, and suggestions."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any

from .changes import Edit, check_scalars
from .values import Note, NoteList, time_of
from .wire import Message, wire_edits

MOST_ITEMS = 1_000


class NoteRequests:
    """A part of `Requests`. Offsets count the characters of a Python string, in the text at a revision.

    A change names the version of the note that was seen. If it has another one, the call raises a CaretError with the
    code `base_behind`.
    """

    async def _ask(self, kind: str, **fields: Any) -> Message:
        raise NotImplementedError

    async def notes(self, name: str, since: int = 0) -> NoteList:
        """All notes, or those that were written or changed since a list with this count."""
        pages: list[Message] = []
        after, more = 0, True
        while more:
            page = await self._ask("list_notes", doc=name, since=since, after=after, limit=MOST_ITEMS)
            pages.append(page)
            more = page.get("more", False) and bool(page["notes"])
            after = page["notes"][-1]["note"] if more else 0
        first = pages[0]
        notes = [_note(item, page["rev"]) for page in pages for item in page["notes"]]
        return NoteList(first["count"], first["rights"], first.get("whole", False), notes)

    async def add_note(
        self, name: str, text: str, range: tuple[int, int] | None = None, revision: int | None = None,
    ) -> int:
        """Writes a note on a range of the text at a revision, or on the whole document. Returns its number."""
        return await self._add(doc=name, text=text, range=range, rev=revision)

    async def suggest(self, name: str, edits: Iterable[Edit], revision: int, text: str = "") -> int:
        """Suggests edits of the text at a revision. Returns the number of the note."""
        return await self._add(doc=name, text=text, edits=wire_edits(tuple(edits)), rev=revision)

    async def answer_note(self, name: str, number: int, text: str) -> int:
        """Answers a note that begins a thread. Returns the number of the answer."""
        return await self._add(doc=name, text=text, parent=number)

    async def change_note(self, name: str, number: int, version: int, text: str) -> int:
        """Changes the text of a note of your own. Returns its version."""
        check_scalars(text, "the text")
        answer = await self._ask("change_note", doc=name, note=number, version=version, text=text)
        return int(answer["version"])

    async def set_note(self, name: str, number: int, version: int, state: str) -> int:
        """Makes a note `open`, `resolved` or `rejected`. Returns its version."""
        answer = await self._ask("change_note", doc=name, note=number, version=version, state=state)
        return int(answer["version"])

    async def accept_note(self, name: str, number: int, version: int) -> int | None:
        """Commits the change of a suggestion. Returns its revision, or None if it changes nothing any more."""
        answer = await self._ask("change_note", doc=name, note=number, version=version, state="accepted")
        return answer.get("rev")

    async def remove_note(self, name: str, number: int, version: int) -> None:
        """Removes a note and its answers."""
        await self._ask("remove_note", doc=name, note=number, version=version)

    async def _add(self, **fields: Any) -> int:
        check_scalars(fields["text"], "the text")
        # If the answer is lost, the client sends the request again, which must not write a second note.
        answer = await self._ask("add_note", request=secrets.token_hex(12), **fields)
        return int(answer["note"])


def _note(item: Message, revision: int) -> Note:
    edited = item.get("edited")
    return Note(
        item["note"], item["version"], revision, item.get("parent"), item.get("range"), item["quote"], item["text"],
        item.get("edits"), item["user"], time_of(item["time"]), None if edited is None else time_of(edited),
        item["state"], item.get("accepted"),
    )
