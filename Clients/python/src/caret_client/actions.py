"""What the state machines want done. The shell runs these actions in their order, and decides nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from .changes import Edits, Selections
from .errors import CaretError
from .wire import Message

# Of a replica, about its document.


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """Open the document, from this epoch and revision if they are known."""

    position: tuple[str, int] | None


@dataclass(frozen=True, slots=True)
class CloseDocument:
    """Close the document on the server."""


@dataclass(frozen=True, slots=True)
class SendPush:
    """Send this push or `restore`, without the name of the document."""

    message: Message


@dataclass(frozen=True, slots=True)
class SendSelections:
    revision: int
    selections: Selections


@dataclass(frozen=True, slots=True)
class ReportDivergence:
    """The text differs from the checksum of the server at this revision."""

    revision: int


@dataclass(frozen=True, slots=True)
class RetryAfter:
    """Call `time_passed` after this delay, in seconds."""

    delay: float


@dataclass(frozen=True, slots=True)
class ShowEdits:
    """The text that the user sees has changed, and not because they typed."""

    edits: Edits


@dataclass(frozen=True, slots=True)
class ShowPeers:
    """The selections of others have changed."""


@dataclass(frozen=True, slots=True)
class ShowSaving:
    """The saving state has changed."""


@dataclass(frozen=True, slots=True)
class Rename:
    """The document has this name from now on."""

    name: str


@dataclass(frozen=True, slots=True)
class Finish:
    """The write with this number has ended: with a revision, or with the code of a refusal."""

    write: int
    revision: int
    code: str | None = None


ReplicaAction = Union[
    OpenDocument, CloseDocument, SendPush, SendSelections, ReportDivergence, RetryAfter, ShowEdits, ShowPeers,
    ShowSaving, Rename, Finish,
]

# Of a document, for the program.


@dataclass(frozen=True, slots=True)
class Changed:
    """The text has changed. `message` is the change of the server, if it was one."""

    edits: Edits
    own: bool
    message: Message | None = None


@dataclass(frozen=True, slots=True)
class RightsChanged:
    """The rights of the user have changed."""


@dataclass(frozen=True, slots=True)
class Renamed:
    """The document had this name before."""

    former: str


@dataclass(frozen=True, slots=True)
class WriteEnded:
    """The write with this number is committed at a revision, or has failed."""

    write: int
    revision: int
    error: CaretError | None


DocumentUpdate = Union[Changed, ShowPeers, ShowSaving, RightsChanged, Renamed, WriteEnded]

# Of a client.


@dataclass(frozen=True, slots=True)
class Send:
    """Send this message. `key` is that of the document, if the message is about an open one."""

    message: Message
    id: int | None = None


@dataclass(frozen=True, slots=True)
class Connect:
    """Connect to the server with this index in the list."""

    server: int


@dataclass(frozen=True, slots=True)
class Disconnect:
    """End the connection, and ignore its later events."""


@dataclass(frozen=True, slots=True)
class LinkChanged:
    """The link of the client has changed."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a request."""

    id: int
    message: Message


@dataclass(frozen=True, slots=True)
class Fail:
    """A request has failed."""

    id: int
    error: CaretError


@dataclass(frozen=True, slots=True)
class Deliver:
    """An event for the followers: a `document`, a `gone`, or that the list is complete or begins again."""

    event: Message


@dataclass(frozen=True, slots=True)
class Update:
    """An update of the open document with this key."""

    key: int
    update: DocumentUpdate


@dataclass(frozen=True, slots=True)
class Ended:
    """The client has ended, and will not connect again."""

    error: CaretError


@dataclass(frozen=True, slots=True)
class AskForToken:
    """Call the token function. `call` is the number of this call."""

    call: int


@dataclass(frozen=True, slots=True)
class WakeAt:
    """Call `time_passed` at this moment or a little later."""

    moment: float


DocumentAction = Union[Send, DocumentUpdate]
ClientAction = Union[
    Send, Connect, Disconnect, LinkChanged, Answer, Fail, Deliver, Update, Ended, AskForToken, WakeAt,
]
