"""Runs the code of docs/client-python.md, and the programs in Examples/python."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import io
import json
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import support
import caret_client
from live_case import PATIENCE, LiveCase

PAGE = support.REPOSITORY / "docs/client-python.md"
EXAMPLES = support.REPOSITORY / "Examples/python"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


async def run_code(code: str, names: dict[str, Any]) -> None:
    """Runs code with `await` outside functions, as a notebook does."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    result = eval(compile(code, str(PAGE), "exec", flags=flags, dont_inherit=True), names)
    if result is not None:
        await result


class Program:
    """A program of its own, with the client of these sources."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, *arguments: str | Path) -> Program:
        environment = {**os.environ, "PYTHONPATH": str(support.PACKAGE / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        return cls(await asyncio.create_subprocess_exec(
            sys.executable, *map(str, arguments), env=environment, stdout=asyncio.subprocess.PIPE,
        ))

    async def read(self, size: int) -> str:
        assert self._process.stdout
        return (await asyncio.wait_for(self._process.stdout.readexactly(size), PATIENCE)).decode()

    async def stop(self) -> None:
        self._process.kill()
        await self._process.communicate()


class GuideTests(LiveCase):
    def here(self, code: str) -> str:
        """The code of the page with the address of the server of this test."""
        return code.replace('"127.0.0.1"', f'"{self.server.address}"')

    async def test_the_first_program_prints_a_letter_that_somebody_else_types(self) -> None:
        program = blocks("python")[0]
        self.assertLessEqual(len(program.splitlines()), 12)
        with tempfile.TemporaryDirectory(prefix="caret-") as folder:
            path = Path(folder) / "letters.py"
            path.write_text(self.here(program))
            running = await Program.start(path)
            self.addAsyncCleanup(running.stop)
            document = await (await self.client()).open("agenda", create=True)
            # The program prints what is typed after it has opened the document, so type until it prints something.
            reading = asyncio.ensure_future(running.read(1))
            while not reading.done():
                document.append("x")
                await document.saved()
                await asyncio.sleep(0)
            self.assertEqual(await reading, "x")

    async def test_the_other_code_runs_in_the_order_of_the_page(self) -> None:
        async def ask_backend(path: str) -> str:
            return "a token"

        client = await self.client()
        document = await client.open("agenda", create=True)
        await document.write("")
        names: dict[str, Any] = {
            "caret_client": caret_client, "client": client, "document": document, "ask_backend": ask_backend,
        }
        printed = io.StringIO()
        for code in blocks("python")[1:]:
            with contextlib.redirect_stdout(printed):
                if "blocking" in code:
                    # Its calls wait, so they run in another thread than this loop.
                    await asyncio.to_thread(exec, self.here(code), {})
                else:
                    await asyncio.wait_for(run_code(self.here(code), names), PATIENCE)
        for text in ("anonymous online", "Tea and cake", "not_found there is no such document False"):
            self.assertIn(text, printed.getvalue())
        self.assertEqual((await client.read("shopping")).text, "Milk\nBread\n")
        self.assertEqual(document.text, "Tea and pie\nBring a pen.\n")
        self.assertEqual(await names["fetch"](), "a token")

        showing = asyncio.ensure_future(names["show"](document))
        await asyncio.sleep(0)
        with contextlib.redirect_stdout(printed):
            document.append("shown")
            await document.saved()
            await asyncio.sleep(0)
        showing.cancel()
        self.assertIn("None True Tea and pie\nBring a pen.\nshown", printed.getvalue())

    async def test_the_tables_of_calls_and_codes_are_those_of_the_library(self) -> None:
        page = PAGE.read_text(encoding="utf-8")
        calls = re.findall(r"`(\w+)\(", page.partition("## Edit")[2].partition("## Sign in")[0])
        known = {*dir(caret_client.Client), *dir(caret_client.Document)}
        self.assertEqual({name for name in calls if name not in known}, set())
        codes = set(re.findall(r"`(\w+)`", page.partition("| code | meaning |")[2].partition("## Without")[0]))
        raised: set[str] = set()
        for file in (support.PACKAGE / "src/caret_client").glob("*.py"):
            source = file.read_text(encoding="utf-8")
            raised |= set(re.findall(r'CaretError\(\s*"(\w+)"', source))
        raised -= {"not_found", "line_too_long", "exists"}  # The server has these words too.
        self.assertEqual(raised - codes, set())


class ExampleTests(LiveCase):
    async def test_the_bot_fixes_typos_beside_people(self) -> None:
        bot = await Program.start(EXAMPLES / "typo_bot.py", self.server.address, "letter")
        self.addAsyncCleanup(bot.stop)
        document = await (await self.client()).open("letter", create=True)
        document.append("I recieve teh ")
        await self.become(document, "I receive the ")
        document.append("teh")
        document.select((17, 17))
        await document.saved()
        document.edit((17, 17, " adn x"))
        await self.become(document, "I receive the the and x")

    async def test_the_notebook_watches_a_text(self) -> None:
        notebook = json.loads((EXAMPLES / "watch.ipynb").read_text(encoding="utf-8"))
        cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
        self.assertEqual([cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"], [[], [], []])
        document = await (await self.client()).open("agenda", create=True)
        document.append("Milk")
        await document.saved()
        lines: asyncio.Queue[str] = asyncio.Queue()
        names: dict[str, Any] = {"print": lines.put_nowait}
        await run_code(cells[0].replace('"127.0.0.1"', f'"{self.server.address}"'), names)
        self.assertEqual(lines.get_nowait(), "Milk")
        watching = asyncio.ensure_future(run_code(cells[1], names))
        await asyncio.sleep(0)
        document.append("!")
        self.assertEqual(await asyncio.wait_for(lines.get(), PATIENCE), "anonymous: Milk!")
        watching.cancel()
        await run_code(cells[2], names)
        self.assertEqual(names["client"].link.state, "ended")


if __name__ == "__main__":
    unittest.main()
