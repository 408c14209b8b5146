"""Which of several servers a client connects to next, and when.

The client tries its servers in a fixed order. A round tries each of them once, one right after the other. After a round
without success it waits, and every such round makes the next wait longer.
"""

from __future__ import annotations

from typing import NamedTuple

from .backoff import FIRST_DELAY, LONGEST_REQUESTED_DELAY, growing_delay


class Failure(NamedTuple):
    """Why servers have failed, and the delay before the next one is tried. None means at once."""

    reason: str
    delay: float | None


class ServerRotation:
    """The servers of a client, by their names for people."""

    def __init__(self, servers: list[str]) -> None:
        self._servers = servers
        self.index = 0
        """The server that the client is connected to, or tries next."""
        self._reasons: list[str] = []
        self._requested = 0.0
        self._failures = 0
        self._welcomed_at: float | None = None

    @property
    def timeout(self) -> float:
        """How long an attempt to connect may take. The last one of a round may take longer."""
        return 3.0 if len(self._reasons) + 1 < len(self._servers) else 10.0

    def welcomed(self, now: float) -> None:
        self._failures, self._welcomed_at = 0, now

    def failed(self, reason: str, retry_after: float, now: float, jitter: float) -> Failure:
        """The connection has ended, or could not be made. `jitter` is a random number from 0 to below 1.

        After a round, the delay is twice the previous one, shortened by at most one half so that clients spread. It is
        at least what each server has asked for, if all have.
        """
        # A connection that has lasted begins a new round.
        if self._welcomed_at is not None and now - self._welcomed_at >= FIRST_DELAY:
            self._reasons = []
        self._welcomed_at = None
        if len(self._servers) > 1:
            reason = f"{self._servers[self.index]}: {reason}"
        self._requested = min(retry_after, self._requested) if self._reasons else retry_after
        self.index = (self.index + 1) % len(self._servers)
        self._reasons.append(reason)
        if len(self._reasons) < len(self._servers):
            return Failure(reason, None)
        reasons, self._reasons = "; ".join(self._reasons), []
        delay = growing_delay(self._failures) / 2 * (1 + jitter)
        self._failures += 1
        return Failure(reasons, min(max(delay, self._requested), LONGEST_REQUESTED_DELAY))
