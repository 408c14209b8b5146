"""Measures how many pushes a second one process reaches over 16 documents of a new server on this machine.

    CARET_BIN=.build/release python3 Clients/python/benchmark.py [SECONDS]

Each document has one writer, which adds a letter and waits until it is saved, again and again. The server, the disk and
this process share the machine.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent / folder) for folder in ("src", "tests")]

import caret_client
from servers import Server

DOCUMENTS = 16


async def measure(seconds: float) -> None:
    with Server() as server:
        async with caret_client.connect(server.address) as client:
            documents = [await client.open(f"note {number}", create=True) for number in range(DOCUMENTS)]
            end, began = time.monotonic() + seconds, time.process_time()
            delays = await asyncio.gather(*(write(document, end) for document in documents))
            spent = time.process_time() - began
    waited = sorted(delay for some in delays for delay in some)
    print(
        f"{len(waited) / seconds:,.0f} pushes a second over {DOCUMENTS} documents, median ack "
        f"{waited[len(waited) // 2] * 1000:.1f} ms, {spent / len(waited) * 1e6:.0f} µs of processor time a push"
    )


async def write(document: caret_client.Document, end: float) -> list[float]:
    """Writes until the end, and returns how long each push took."""
    delays = []
    now = time.monotonic()
    while now < end:
        document.append("x")
        await document.saved()
        before, now = now, time.monotonic()
        delays.append(now - before)
    return delays


if __name__ == "__main__":
    asyncio.run(measure(float(sys.argv[1]) if len(sys.argv) > 1 else 5))
