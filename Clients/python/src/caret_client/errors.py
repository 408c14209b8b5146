"""The error of every failed call."""

from __future__ import annotations

from .protocol import FINAL_CODES

RETRYABLE_CODES = frozenset(
    {"rate_limited", "overloaded", "storage_full", "storage_failed", "internal", "shutting_down", "push_in_flight"}
)
"""The server may accept the same message later."""


class CaretError(Exception):
    """Why a call failed: `code` is a word for programs, and `message` a sentence for people.

    The codes of the server are in docs/errors.md, and those of the client itself in docs/client-python.md.
    `retry_after` is the delay in seconds that the server asks for, if it does.
    """

    def __init__(self, code: str, message: str, retry_after: float | None = None) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code
        self.message = message
        self.retry_after = retry_after

    @property
    def is_retryable(self) -> bool:
        """Whether the same call may succeed later, although nothing else changes."""
        return self.code in RETRYABLE_CODES

    @property
    def is_final(self) -> bool:
        """Whether the server would give the same answer to the same message at any time."""
        return self.code in FINAL_CODES
