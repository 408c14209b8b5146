"""An event loop with a clock that only the test moves, so no test waits for a delay."""

from __future__ import annotations

import asyncio
import selectors
from typing import Any


class _EagerSelector(selectors.SelectSelector):
    """Never waits: no time passes in the loop."""

    def select(self, timeout: float | None = None) -> Any:
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop that begins at 0 s."""

    def __init__(self) -> None:
        super().__init__(_EagerSelector())
        self.now = 0.0

    def time(self) -> float:
        return self.now

    async def settle(self) -> None:
        """Waits until nothing is left to do at this moment."""
        for _ in range(30):
            await asyncio.sleep(0)

    async def pass_time(self, seconds: float) -> None:
        """Lets the time pass, and rings the timers in their order."""
        end = self.now + seconds
        while True:
            await self.settle()
            # The loop keeps its timers as a heap, and has no public way to read them.
            timers: list[asyncio.TimerHandle] = self._scheduled  # type: ignore[attr-defined]
            due = [timer.when() for timer in timers if not timer.cancelled() and timer.when() <= end]
            if not due:
                break
            self.now = max(self.now, min(due))
        self.now = end


def run(test: Any) -> None:
    """Runs a coroutine function of a test in a virtual loop, with the loop as its argument."""
    loop = VirtualLoop()
    try:
        loop.run_until_complete(test(loop))
    finally:
        loop.close()
