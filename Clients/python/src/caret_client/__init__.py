"""A client of Caret, the server for texts that several people and programs edit at the same time.

    async with caret_client.connect("caret://127.0.0.1") as client:
        document = await client.open("agenda", create=True)
        document.append("Bring a pen.\\n")
        await document.saved()

docs/client-python.md is the guide. `caret_client.blocking` has the same calls for programs without asyncio.
"""

from .changes import Edit, Selection
from .client import Client, Token, connect
from .client_state import Link
from .document import Document, Peer, Saving
from .errors import CaretError
from .streams import Change
from .values import (
    BlamedLines, DeletedDocument, DocumentEvent, DocumentInfo, DocumentLink, Note, NoteList, OldText, Revision, Tag,
)

__version__ = "0.2.0"

__all__ = [
    "BlamedLines", "CaretError", "Change", "Client", "DeletedDocument", "Document", "DocumentEvent", "DocumentInfo",
    "DocumentLink", "Edit", "Link", "Note", "NoteList", "OldText", "Peer", "Revision", "Saving", "Selection", "Tag",
    "Token", "connect",
]
