"""How long to wait before the next attempt, after several failures in a row. Delays are in seconds."""

from __future__ import annotations

FIRST_DELAY = 0.5
"""Half a second gives the server time to recover, and people hardly notice it."""
LONGEST_DELAY = 30.0
LONGEST_REQUESTED_DELAY = 300.0
"""The longest delay that the server can request: a longer one may be a mistake, and somebody is waiting."""


class Backoff:
    """The delays of one thing that fails again and again."""

    def __init__(self) -> None:
        self.failures = 0

    def next_delay(self, requested: float | None = None) -> float:
        """Counts a failure. The delay is `requested`, or twice the previous one."""
        delay = growing_delay(self.failures)
        self.failures += 1
        return delay if requested is None else min(max(requested, 0.001), LONGEST_REQUESTED_DELAY)

    def reset(self) -> None:
        self.failures = 0


def growing_delay(failures: int) -> float:
    """The delay after the first failure, twice that after the second, and so on."""
    # The seventh delay is the longest one.
    return min(FIRST_DELAY * (1 << min(failures, 7)), LONGEST_DELAY)
