"""Fixes typos in a document beside the people who write there.

    python3 typo_bot.py SERVER DOCUMENT
"""

from __future__ import annotations

import asyncio
import re
import sys

import caret_client

TYPOS = {"teh": "the", "adn": "and", "recieve": "receive", "seperate": "separate"}
# A word is complete when something follows it. Before that, somebody may still type it.
COMPLETE_WORD = re.compile(r"\b(" + "|".join(TYPOS) + r")\b(?=\W)")


def fixes(document: caret_client.Document) -> list[caret_client.Edit]:
    """An edit for each typo, but for those in which somebody has a caret."""
    carets = [head for peer in document.peers for _, head in peer.selections]
    return [
        caret_client.Edit(found.start(), found.end(), TYPOS[found[0]])
        for found in COMPLETE_WORD.finditer(document.text)
        if not any(found.start() <= caret <= found.end() for caret in carets)
    ]


async def main(server: str, name: str) -> None:
    async with caret_client.connect(server, name="Typo bot", color="#2a7") as client:
        document = await client.open(name, create=True)
        document.edit(*fixes(document))
        async for change in document.changes():
            if not change.own:
                document.edit(*fixes(document))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
