"""What a client does after the server has refused a push."""

from __future__ import annotations

from enum import Enum, auto

from .errors import RETRYABLE_CODES


class Recovery(Enum):
    """One of the remedies of docs/errors.md."""

    RESEND_LATER = auto()
    """Send the same push after some time."""
    REOPEN = auto()
    """Open the document again, then send the same push."""
    RESUBMIT = auto()
    """The push never will be committed. Submit its edits as a new push, rebased to the current text."""
    RESUBMIT_AFTER_FULL_TEXT = auto()
    """The same, but load the whole text first, because the client's may differ."""
    KEEP = auto()
    """The client cannot read the document, so it does not know whether the push was committed."""
    ASK_USER = auto()
    """Keep the edits, and let the program decide."""


_RECOVERIES = {
    "not_open": Recovery.REOPEN,
    "epoch_changed": Recovery.RESUBMIT,
    "base_trimmed": Recovery.RESUBMIT,
    "base_before_own_push": Recovery.RESUBMIT,
    "base_ahead": Recovery.RESUBMIT_AFTER_FULL_TEXT,
    "bad_range": Recovery.RESUBMIT_AFTER_FULL_TEXT,
    "seq_reused": Recovery.RESUBMIT_AFTER_FULL_TEXT,
    "not_found": Recovery.KEEP,
    "damaged": Recovery.KEEP,
}


def recovery_of(code: str) -> Recovery:
    """The remedy for a code of the server. A code that this client does not know is a plain refusal."""
    if code in RETRYABLE_CODES:
        return Recovery.RESEND_LATER
    return _RECOVERIES.get(code, Recovery.ASK_USER)
