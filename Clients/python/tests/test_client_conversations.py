"""The shared conversations of a whole client, on a clock of their own."""

from __future__ import annotations

import asyncio
import json
import unittest
from collections.abc import Awaitable
from typing import Any

import support
import virtual_time
from caret_client.client import Client
from caret_client.document import Document
from caret_client.errors import CaretError
from stand_in import StandIn, no_jitter

FOLDER = support.FIXTURES / "clients"

NOT_RUN = {
    "keep.json": "this client keeps no edits on a disk",
    "full-disk.json": "this client keeps no edits on a disk",
    "close.json: unsaved edits of a closed document are sent when it is opened again":
        "a closed document is forgotten, because its edits are not kept",
}
"""The conversations that this client cannot have, and why."""


class Run:
    """A client in a conversation."""

    def __init__(self, loop: virtual_time.VirtualLoop, settings: dict[str, Any], welcome: dict[str, Any]) -> None:
        self._loop = loop
        self._settings = settings
        self._welcome = welcome
        self._server = StandIn()
        self._client: Client | None = None
        self._windows: dict[str, Document] = {}
        self._answers: list[str] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def happen(self, step: dict[str, Any]) -> dict[str, Any]:
        outcome: dict[str, Any] = {}
        try:
            await self._pass(step)
        except CaretError as error:
            outcome["error"] = error.code
        await self._loop.settle()
        server, outcome["answers"] = self._server, self._answers
        outcome["connect"], outcome["out"] = server.connected, server.take()
        server.connected, self._answers = [], []
        return outcome

    async def _pass(self, step: dict[str, Any]) -> None:
        server = self._server
        if "start" in step:
            # A client that keeps edits on a disk owns its id; here, one that has chosen its id does.
            chosen = None if self._settings.get("keeps") else "client-1"
            self._client = server.client(*self._settings.get("servers", ["a"]), client=chosen)
            self._client.start()
            return
        assert self._client and server.events
        if "connected" in step:
            server.events.opened()
        elif "in" in step:
            server.receive(self._welcome if step["in"] == "welcome" else step["in"])
        elif "cut" in step:
            server.events.closed("the connection was cut")
        elif "wait" in step:
            await self._loop.pass_time(step["wait"] / 1000)
        else:
            self._use(self._client, step)

    def _use(self, client: Client, step: dict[str, Any]) -> None:
        window = step.get("window", "")
        if "open" in step:
            flags = {name: step.get(name, False) for name in ("create", "watch")}
            self._windows[window] = client.opening(step["open"], **flags)
        elif "type" in step:
            self._windows[window].edit(*((*edit["range"], edit["text"]) for edit in step["type"]))
        elif "close" in step:
            self._start(self._windows.pop(step["close"]).close())
        elif "list" in step:
            self._start(self._request(step["list"], client.request({"type": "list"})))
        elif "rename" in step:
            self._start(self._request(step["as"], client.rename(step["rename"], step["to"])))
        else:
            raise ValueError(f"{step} has no event")

    def _start(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _request(self, name: str, answer: Awaitable[object]) -> None:
        try:
            await answer
            self._answers.append(name)
        except CaretError as error:
            self._answers.append(f"{name}: {error.code}")

    def state(self) -> dict[str, Any]:
        link = self._client.link if self._client else None
        windows = {name: self._window(document) for name, document in self._windows.items()}
        return {
            "link": link.state if link else "ended", "ended": link.reason if link and link.state == "ended" else None,
            "keepingFault": False, "windows": windows,
        }

    def _window(self, document: Document) -> dict[str, Any]:
        saving = document.saving
        return {"text": document.text, "saving": saving.code if saving.state == "refused" else saving.state}

    async def end(self) -> None:
        """Ends the client, so that its tasks end too."""
        if self._client:
            closing = asyncio.ensure_future(self._client.close())
            await self._loop.pass_time(10)
            await closing


def in_scalars(file: str) -> Any:
    """A file as this client speaks: it counts scalars. The texts in these files are ASCII."""
    text = (FOLDER / file).read_text(encoding="utf-8")
    assert text.isascii()
    return json.loads(text.replace('"utf-16"', '"utf-32"'))


class ClientConversationTests(unittest.TestCase):
    maxDiff = None

    def test_conversations(self) -> None:
        not_run = set(NOT_RUN)
        count = 0
        for path in sorted(FOLDER.glob("*.json")):
            file = in_scalars(path.name)
            for conversation in file["conversations"]:
                names = {path.name, f"{path.name}: {conversation['about']}"}
                if names & set(NOT_RUN):
                    not_run -= names
                    continue
                with self.subTest(f"{path.name}: {conversation['about']}"), no_jitter():
                    virtual_time.run(lambda loop: self.follow(loop, conversation, file["welcome"]))
                count += 1
        self.assertGreater(count, 15)
        self.assertEqual(not_run, set(), "these conversations do not exist")

    async def follow(self, loop: virtual_time.VirtualLoop, conversation: Any, welcome: Any) -> None:
        run = Run(loop, conversation, welcome)
        state = run.state()
        for index, step in enumerate(conversation["steps"]):
            outcome = await run.happen(step)
            for message in outcome["out"]:
                # A client without an id of its own chooses a new one.
                if message["type"] == "hello":
                    message["client"] = "client-1"
            expected = {key: step.get(key, []) for key in ("answers", "connect", "out")}
            if "error" in step:
                expected["error"] = step["error"]
            state.update(step.get("state", {}))
            self.assertEqual(outcome, expected, f"step {index}")
            self.assertEqual(run.state(), state, f"step {index}")
        await run.end()


if __name__ == "__main__":
    unittest.main()
