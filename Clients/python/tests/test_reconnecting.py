"""Connections that are cut, and servers that are killed."""

from __future__ import annotations

import asyncio
import subprocess
import tempfile
import unittest
from pathlib import Path

import support  # First, because it says where the package is.
from caret_client import connect
from live_case import LiveCase, cut
from servers import Server


class CutTests(LiveCase):
    async def test_unsent_edits_survive_a_cut_link_and_are_committed_once(self) -> None:
        client = await self.client()
        document = await client.open("cut", create=True)
        for number in range(20):
            document.append(f"{number} ")
            if number % 3 == 0:
                await asyncio.sleep(0)
            await cut(client)
            document.append(". ")
        await document.saved()
        expected = "".join(f"{number} . " for number in range(20))
        self.assertEqual((document.text, (await client.read("cut")).text), (expected, expected))

    async def test_a_whole_text_survives_a_cut_link_and_is_committed_once(self) -> None:
        client = await self.client()
        document = await client.open("whole", create=True)
        for number in range(1, 11):
            writing = asyncio.ensure_future(document.write(f"text {number}\n", number - 1))
            while document.saving.state != "sending":
                await asyncio.sleep(0)
            await cut(client)
            self.assertEqual(await writing, number)
        self.assertEqual(document.text, "text 10\n")

    async def test_a_client_goes_on_to_the_next_server(self) -> None:
        client = await self.client("127.0.0.1:1")
        await client.close()
        async with connect("127.0.0.1:1", self.server.address, shuffle=False) as client:
            await client.online()
            self.assertEqual(client.server, f"127.0.0.1:{self.server.port}")

    async def test_a_connection_that_fails_says_why(self) -> None:
        client = await self.client("127.0.0.1:1")
        async for link in client.links():
            if link.state == "waiting":
                break
        self.assertIn("cannot connect to 127.0.0.1:1", link.reason or "")


class KilledTests(LiveCase):
    async def test_edits_are_committed_once_although_the_server_is_killed(self) -> None:
        ann, ben = await self.pair("killed")
        for round in range(3):
            ann.append(f"a{round} ")
            ben.edit((0, 0, f"b{round} "))
            await asyncio.sleep(0)  # The pushes are on their way, and their acks are lost.
            await asyncio.to_thread(self.server.kill)
            ann.append(f"c{round} ")
            await asyncio.to_thread(self.server.start)
            ann._client.reconnect()
            ben._client.reconnect()
            await asyncio.gather(ann.saved(), ben.saved())
        ann.append("end")
        await ann.saved()
        await self.become(ben, ann.text)
        text = (await ann._client.read("killed")).text
        self.assertEqual(text, ann.text)
        expected = [f"{who}{round}" for who in "abc" for round in range(3)] + ["end"]
        self.assertEqual(sorted(text.split()), sorted(expected))

    async def test_a_request_that_may_be_repeated_is_answered_by_the_next_server(self) -> None:
        client = await self.client()
        await client.write("read", "Milk", create=True)
        await asyncio.to_thread(self.server.kill)
        reading = asyncio.ensure_future(client.read("read"))
        renaming = asyncio.ensure_future(client.rename("read", "renamed"))
        await asyncio.to_thread(self.server.start)
        client.reconnect()
        self.assertEqual((await reading).text, "Milk")
        await renaming


class SecureTests(unittest.IsolatedAsyncioTestCase):
    """TLS, with a certificate that the test makes."""

    def setUp(self) -> None:
        folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="caret-")))
        self.certificate, key = folder / "certificate.pem", folder / "key.pem"
        openssl("req", "-x509", "-newkey", "ed25519", "-nodes", "-out", self.certificate, "-keyout", key, "-days", "2",
                "-subj", "/CN=caret test", "-addext", "subjectAltName=IP:127.0.0.1")
        server = self.enterContext(Server("--tls-certificate", str(self.certificate), "--tls-key", str(key)))
        self.address = f"carets://127.0.0.1:{server.port}"
        print_of_key = openssl("x509", "-in", self.certificate, "-noout", "-fingerprint", "-sha256")
        self.pin = print_of_key.partition("=")[2].strip()

    async def test_trust_and_pins(self) -> None:
        await self.write(f"{self.address}?trust={self.certificate}", "a")
        await self.write(f"{self.address}?pin={self.pin}", "b")
        for wrong in (self.address, f"{self.address}?pin={'0' * 64}"):
            self.assertIn("certificate", await self.refusal(wrong))

    async def write(self, address: str, text: str) -> None:
        async with connect(address) as client:
            document = await client.open("tls", create=True)
            document.append(text)
            await document.saved()

    async def refusal(self, address: str) -> str:
        async with connect(address) as client:
            async for link in client.links():
                if link.state == "waiting":
                    return link.reason or ""
        return ""


def openssl(*arguments: object) -> str:
    return subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    unittest.main()
