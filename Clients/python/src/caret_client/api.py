"""The requests of a client, one method each."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

from .changes import check_scalars
from .document import Document
from .errors import CaretError
from .notes import NoteRequests
from .values import (
    BlamedLines, DeletedDocument, DocumentInfo, DocumentLink, OldText, Revision, Tag, document_info, milliseconds_of,
    time_of,
)
from .wire import Message

Tags = list[Tag]
Grants = list[dict[str, str]]

PAGE_SIZE = 1_000
"""How many items a page has at most."""

_ANSWERS = {
    "list": "listed", "list_deleted": "deleted", "read": "text", "history": "revisions", "blame": "blamed",
    "push": "ack", "restore": "ack", "list_tags": "tags", "add_token": "token_added", "add_link": "token_added",
    "list_links": "tokens", "list_notes": "notes", "add_note": "note_written", "change_note": "note_written",
}


class Requests(NoteRequests):
    """What a client can ask of the server, beside open documents.

    A request waits for a connection. If the connection ends before the answer, a request that may be repeated is sent
    again; another one raises a CaretError with the code `disconnected`, because it may have been carried out.
    """

    def __init__(self) -> None:
        self.last_seq = 0
        """The highest number of a push to a document that was not open, or was open before."""

    async def request(self, message: Message) -> Message:
        """Sends any request of docs/protocol/messages.md, and returns its answer."""
        raise NotImplementedError

    def find(self, name: str) -> Document | None:
        """The open document with this name."""
        raise NotImplementedError

    async def _ask(self, kind: str, **fields: Any) -> Message:
        answer = await self.request({"type": kind, **fields})
        if answer["type"] != _ANSWERS.get(kind, "done"):
            raise CaretError("unexpected", f"the server has answered {kind} with {answer['type']}")
        return answer

    # Documents.

    async def list(self, prefix: str = "", after: str = "", limit: int = 100) -> list[DocumentInfo]:
        """A page of the documents that the user may read, sorted by name."""
        page = await self._ask("list", prefix=prefix or None, after=after or None, limit=limit)
        return [document_info(item) for item in page["docs"]]

    async def documents(self, prefix: str = "") -> AsyncIterator[DocumentInfo]:
        """All documents that the user may read, page by page."""
        after, more = None, True
        while more:
            page = await self._ask("list", prefix=prefix or None, after=after, limit=PAGE_SIZE)
            for item in page["docs"]:
                yield document_info(item)
            more = page.get("more", False) and bool(page["docs"])
            after = page["docs"][-1]["doc"] if more else None

    async def create(self, name: str, text: str = "") -> None:
        """Creates a document. Raises a CaretError with the code `exists` if there is one."""
        if await self._exists(name):
            raise CaretError("exists", f"{name} exists already")
        await self.write(name, text, create=True)

    async def _exists(self, name: str) -> bool:
        try:
            await self.read(name)
        except CaretError as error:
            if error.code != "not_found":
                raise
            return False
        return True

    async def delete(self, name: str) -> None:
        await self._ask("delete", doc=name)

    async def deleted(self, prefix: str = "") -> AsyncIterator[DeletedDocument]:
        """The deleted documents that can still be brought back, and that the user may write, page by page."""
        after, more = None, True
        while more:
            page = await self._ask("list_deleted", prefix=prefix or None, after=after, limit=PAGE_SIZE)
            for item in page["docs"]:
                yield _deleted_document(item)
            more = page.get("more", False) and bool(page["docs"])
            after = page["docs"][-1]["number"] if more else None

    async def undelete(self, number: int) -> None:
        """Brings a deleted document back under its name."""
        await self._ask("undelete", number=number)

    async def rename(self, name: str, to: str) -> None:
        await self._ask("rename", doc=name, to=to)

    async def copy(self, name: str, to: str) -> None:
        """Copies a document with its named revisions."""
        await self._ask("copy", doc=name, to=to)

    # Links to documents.

    async def add_link(self, name: str, rights: str, seconds: int) -> tuple[int, str]:
        """Makes a link to a document, which may `read` or `write`. Returns its number and its token.

        `connect` with this token opens this document only. The server keeps no copy of the token.
        """
        answer = await self._ask("add_link", doc=name, rights=rights, seconds=seconds)
        return answer["number"], answer["token"]

    async def links_to(self, name: str) -> AsyncIterator[DocumentLink]:
        """The links to a document, page by page. A damaged one gives no access, so it is left out."""
        after, more = None, True
        while more:
            page = await self._ask("list_links", doc=name, after=after, limit=PAGE_SIZE)
            for item in page["tokens"]:
                if not item.get("damaged"):
                    yield _document_link(item)
            more = page.get("more", False) and bool(page["tokens"])
            after = page["tokens"][-1]["number"] if more else None

    async def end_link(self, name: str, number: int) -> None:
        """Ends a link. Everybody who uses it is disconnected."""
        await self._ask("end_link", doc=name, number=number)

    # Texts.

    async def read(self, name: str, revision: int | None = None, at: datetime | None = None) -> OldText:
        """The text now, at a revision, or at a time."""
        moment = None if at is None else milliseconds_of(at)
        found = await self._ask("read", doc=name, rev=revision, at=moment)
        return OldText(found["doc"], found["epoch"], found["rev"], found["text"], found["newline"])

    async def write(
        self, name: str, text: str, base: OldText | None = None, *, create: bool = False, exact: bool = False,
    ) -> int:
        """Saves a whole text that was made from `base`, which `read` has returned. The server merges it.

        With `create` and without `base`, it makes a new document. The document need not be open. Returns the revision
        that contains the text. One document takes one write of a client at a time.
        """
        check_scalars(text, "the text")
        document = self.find(name)
        if document:
            return await document.write(text, base, exact=exact)
        answer = await self._ask(
            "push", doc=name, epoch=base.epoch if base else None, base=base.revision if base else 0,
            seq=self._next_seq(), text=text, create=create or None, exact=exact or None,
        )
        return int(answer["rev"])

    async def restore(self, name: str, revision: int) -> int:
        """Makes a new revision with the text of an old one. Returns the new revision."""
        document = self.find(name)
        if document:
            return await document.restore(revision)
        epoch = (await self.read(name, revision)).epoch
        answer = await self._ask("restore", doc=name, epoch=epoch, rev=revision, seq=self._next_seq())
        return int(answer["rev"])

    def _next_seq(self) -> int:
        # At least the time, so that a program that starts again with its old client id uses no number twice.
        self.last_seq = max(self.last_seq + 1, time.time_ns() // 1_000_000)
        return self.last_seq

    # Histories.

    async def history(self, name: str, after: int | None = None, *, edits: bool = False) -> AsyncIterator[Revision]:
        """The revisions, oldest first, page by page. Without `after`, from the first one that is kept."""
        more = True
        while more:
            page = await self._ask("history", doc=name, after=after, limit=PAGE_SIZE, edits=edits or None)
            for item in page["revisions"]:
                yield _revision(item)
                after = item["rev"]
            more = page.get("more", False) and bool(page["revisions"])

    async def blame(self, name: str, revision: int | None = None) -> AsyncIterator[BlamedLines]:
        """Who changed each line of the text last, now or at a revision: ranges of lines, page by page."""
        after, more = 0, True
        while more:
            page = await self._ask("blame", doc=name, rev=revision, after=after, limit=PAGE_SIZE)
            # The next pages are about the same text.
            revision = page["rev"]
            for item in page["ranges"]:
                yield _blamed_lines(item)
                after = item["line"] + item["lines"] - 1
            more = page.get("more", False) and bool(page["ranges"])

    async def tags(self, name: str) -> Tags:
        """The revisions that have a name."""
        found = await self._ask("list_tags", doc=name)
        return [Tag(one["name"], one["rev"], one["user"], time_of(one["time"])) for one in found["tags"]]

    async def tag(self, name: str, revision: int, tag: str) -> None:
        """Names a revision."""
        await self._ask("tag", doc=name, name=tag, rev=revision)

    async def untag(self, name: str, tag: str) -> None:
        """Removes the name of a revision."""
        await self._ask("untag", doc=name, name=tag)

    # Administration. The other requests are in docs/protocol/messages.md; pass them to `request`.

    async def add_token(self, user: str, grants: Grants, expires: datetime | None = None) -> tuple[int, str]:
        """Makes a token, and returns its number and text. A grant is {"rights": "write", "prefix": "notes/"}."""
        end = None if expires is None else milliseconds_of(expires)
        answer = await self._ask("add_token", user=user, grants=grants, expires=end)
        return answer["number"], answer["token"]

    async def revoke_token(self, number: int) -> None:
        await self._ask("revoke_token", number=number)

    async def sign_out(self, user: str | None = None, jti: str | None = None, before: datetime | None = None) -> None:
        """Makes the signed tokens of a user invalid, or those with one id."""
        moment = None if before is None else milliseconds_of(before)
        await self._ask("sign_out", user=user, jti=jti, before=moment)


def _revision(item: Message) -> Revision:
    return Revision(
        item["rev"], item["user"], item["client"], time_of(item["time"]), item["inserted"], item["deleted"],
        item.get("edits"),
    )


def _deleted_document(item: Message) -> DeletedDocument:
    return DeletedDocument(
        item["number"], item["doc"], item["rev"], item["length"], time_of(item["updated"]), time_of(item["deleted"]),
    )


def _document_link(item: Message) -> DocumentLink:
    last_use = time_of(item["last_use"]) if "last_use" in item else None
    return DocumentLink(
        item["number"], item["user"], item["grants"][0]["rights"], time_of(item["created"]), time_of(item["expires"]),
        last_use,
    )


def _blamed_lines(item: Message) -> BlamedLines:
    when = time_of(item["time"]) if "time" in item else None
    return BlamedLines(
        item["line"], item["lines"], item["rev"], item.get("user"), item.get("client"), when,
    )
