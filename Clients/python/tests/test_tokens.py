"""Tokens that are text, and tokens that a function fetches."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import support  # First, because it says where the package is.
import virtual_time
from caret_client import CaretError, connect
from live_case import PATIENCE, LiveCase
from servers import Server
from stand_in import StandIn, no_jitter

SECRET = bytes(range(32))


class StoredTokenTests(LiveCase):
    options = ("--require-tokens",)

    async def test_a_token_that_is_missing_or_wrong_ends_the_client(self) -> None:
        for token in (None, "caret_1_wrong"):
            client = await self.client(token=token)
            error = await self.assertFails("unauthorized", client.open("agenda", create=True))
            self.assertTrue(error.is_final)
            self.assertEqual(client.link.state, "ended")
            await self.assertFails("unauthorized", client.online())

    async def test_a_revoked_token_ends_the_client_and_its_documents(self) -> None:
        admin = await self.client(self.server.socket)
        number, token = await admin.add_token("ann", [{"rights": "write", "prefix": "notes/"}])
        client = await self.client(token=token)
        document = await client.open("notes/today", create=True)
        self.assertEqual((client.user, document.rights), ("ann", "write"))
        changes = document.changes()
        await admin.revoke_token(number)
        await self.assertFails("revoked", anext(changes))
        document.append("kept in memory")
        await self.assertFails("revoked", document.saved())
        await self.assertFails("revoked", client.read("notes/today"))
        await self.assertFails("revoked", client.open("notes/other"))

    async def test_rights_are_those_of_the_token(self) -> None:
        admin = await self.client(self.server.socket)
        _, token = await admin.add_token("ben", [{"rights": "read", "prefix": ""}])
        await admin.write("secret", "Milk", create=True)
        document = await (await self.client(token=token)).open("secret")
        document.append("!")
        await self.assertFails("forbidden", document.saved())
        await self.assertFails("forbidden", document.write("Tea", 1))
        await self.assertFails("forbidden", document._client.add_token("ben", []))


class SignedTokenTests(unittest.IsolatedAsyncioTestCase):
    """Tokens that the test signs, as the backend of an app does."""

    def setUp(self) -> None:
        folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="caret-")))
        key = folder / "key.jwk"
        key.write_text(json.dumps({"kty": "oct", "alg": "HS256", "k": base64url(SECRET)}))
        key.chmod(0o600)
        options = ("--require-tokens", "--token-keys", str(key), "--token-audience", "test")
        self.server = self.enterContext(Server(*options))

    async def test_a_new_token_is_sent_before_the_old_one_ends(self) -> None:
        calls: asyncio.Queue[int] = asyncio.Queue()

        async def fetch() -> str:
            calls.put_nowait(calls.qsize())
            return signed("ann", life=2)

        with mock.patch("caret_client.token_state.ASK_PAUSE", 0.1):
            async with connect(self.server.address, token=fetch) as client:
                document = await client.open("agenda", create=True)
                await asyncio.wait_for(calls.get(), PATIENCE)
                first = client.welcome["expires"] if "expires" in client.welcome else None
                await asyncio.wait_for(calls.get(), PATIENCE)
                document.append("Milk")
                await document.saved()
                self.assertEqual((client.user, client.link.state), ("ann", "online"))
                self.assertIsNotNone(first)

    async def test_a_user_who_is_signed_out_gets_another_token(self) -> None:
        tokens = [signed("ann", issued=-1), signed("ann", issued=2), None]

        async def fetch() -> str | None:
            return tokens.pop(0)

        with mock.patch("caret_client.token_state.ASK_PAUSE", 0.0):
            async with connect(self.server.address, token=fetch) as client, connect(self.server.socket) as admin:
                document = await client.open("agenda", create=True)
                await admin.sign_out("ann")
                links = client.links()
                while len(tokens) > 1 or client.link.state != "online":
                    await asyncio.wait_for(anext(links), PATIENCE)
                document.append("Milk")
                await document.saved()

    async def test_the_token_of_another_user_ends_the_client(self) -> None:
        users = iter(["ann", "ben"])

        async def fetch() -> str:
            return signed(next(users), life=2)

        with mock.patch("caret_client.token_state.ASK_PAUSE", 0.1):
            async with connect(self.server.address, token=fetch) as client:
                async for link in client.links():
                    if link.state == "online":
                        break
                with self.assertRaises(CaretError) as failure:
                    async for link in client.links():
                        pass
        self.assertEqual(failure.exception.code, "other_user")


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def signed(user: str, life: int = 3600, issued: int = 0) -> str:
    """A signed token; `issued` is relative to now."""
    now = int(time.time()) + issued
    claims = {"sub": user, "aud": "test", "iat": now, "exp": now + life, "caret": {"write": [""]}}
    parts = ".".join(base64url(json.dumps(part).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, claims))
    return f"{parts}.{base64url(hmac.digest(SECRET, parts.encode(), hashlib.sha256))}"


class TokenFunctionTests(unittest.TestCase):
    """The token function, with a server and a clock of the test."""

    def run_with(self, answers: list[object], test: object) -> None:
        """Runs a test with a client whose token function gives these answers; an exception is raised."""
        async def follow(loop: virtual_time.VirtualLoop) -> None:
            calls: list[float] = []

            async def fetch() -> object:
                calls.append(loop.now)
                answer = answers.pop(0)
                if isinstance(answer, Exception):
                    raise answer
                return await answer if isinstance(answer, asyncio.Future) else answer

            server = StandIn()
            client = server.client(token=fetch)
            client.start()
            await loop.settle()
            await test(loop, server, client, calls)  # type: ignore[operator]
            closing = asyncio.ensure_future(client.close())
            await loop.pass_time(10)
            await closing

        with no_jitter():
            virtual_time.run(follow)

    def test_a_token_is_replaced_after_70_percent_of_its_life(self) -> None:
        async def test(loop, server, client, calls) -> None:
            server.welcome(expires_in_ms=100_000, ping=1_000)
            self.assertEqual(server.take()[0]["token"], "ey1")
            await loop.pass_time(69)
            self.assertEqual(len(calls), 1)
            await loop.pass_time(2)
            sent = [one for one in server.take() if one["type"] == "authenticate"]
            self.assertEqual(sent, [{"type": "authenticate", "id": 1, "token": "ey2"}])
            answer = {"type": "authenticated", "id": 1, "user": "ann", "expires_in_ms": 100_000}
            server.receive({**answer, "rights": "read"})
            self.assertEqual(client.welcome["rights"], "read")

        self.run_with(["ey1", "ey2"], test)

    def test_none_means_signed_out(self) -> None:
        async def test(loop, server, client, calls) -> None:
            self.assertEqual((client.link.state, client.link.reason, server.connected), ("ended", "signed_out", []))

        self.run_with([None], test)

    def test_a_function_that_fails_is_called_again_after_growing_delays(self) -> None:
        async def test(loop, server, client, calls) -> None:
            self.assertEqual(client.link.state, "waiting")
            self.assertEqual(client.link.reason, "the token function has failed: no … here")
            await loop.pass_time(1)
            self.assertEqual(calls, [0.0, 0.25, 0.75])
            self.assertEqual(server.connected, ["a"])

        self.run_with([OSError("no caret_8_secret here"), TypeError("down"), "ey1"], test)

    def test_an_answer_that_is_no_token_is_a_failure(self) -> None:
        async def test(loop, server, client, calls) -> None:
            self.assertIn("its answer is a int", client.link.reason)
            await loop.pass_time(0.3)
            self.assertEqual(server.connected, ["a"])

        self.run_with([7, "ey1"], test)

    def test_a_call_without_an_answer_counts_as_failed_after_30_s(self) -> None:
        async def test(loop, server, client, calls) -> None:
            await loop.pass_time(29.9)
            self.assertEqual((client.link.state, len(calls)), ("connecting", 1))
            await loop.pass_time(0.5)
            self.assertEqual((server.connected, len(calls)), (["a"], 2))

        async def never(loop, server, client, calls) -> None:
            await test(loop, server, client, calls)

        self.run_with([_Never(), "ey1"], never)

    def test_a_token_that_has_ended_is_replaced_at_once(self) -> None:
        async def test(loop, server, client, calls) -> None:
            server.welcome()
            server.take()
            await loop.pass_time(15)
            server.receive({"type": "bye", "reason": "token_ended"})
            server.events.closed("the server has closed the connection")
            await loop.pass_time(0.5)
            server.welcome()
            self.assertEqual(server.take()[0]["token"], "ey2")
            self.assertEqual(client.link.state, "online")

        self.run_with(["ey1", "ey2"], test)

    def test_a_token_that_was_never_accepted_ends_the_client_if_it_is_refused(self) -> None:
        async def test(loop, server, client, calls) -> None:
            server.events.opened()
            server.receive({"type": "error", "code": "unauthorized", "message": "no"})
            self.assertEqual((client.link.state, client.link.reason), ("ended", "unauthorized"))

        self.run_with(["ey1"], test)

    def test_the_same_token_again_is_no_error(self) -> None:
        async def test(loop, server, client, calls) -> None:
            server.welcome(expires_in_ms=100_000, ping=1_000)
            server.take()
            await loop.pass_time(95)
            self.assertEqual((server.take(), client.link.state), ([], "online"))
            self.assertEqual(calls, [0.0, 70.0, 91.0])

        self.run_with(["ey1", "ey1", "ey1"], test)

    def test_a_token_that_ended_while_the_client_was_offline_is_not_used_again(self) -> None:
        async def test(loop, server, client, calls) -> None:
            server.welcome(expires_in_ms=20_000)
            server.take()
            await loop.pass_time(1)
            server.events.closed("cut")
            await loop.pass_time(0.3)
            for _ in range(8):
                server.events.closed("cannot connect")
                await loop.pass_time(31)
            server.welcome()
            self.assertEqual(server.take()[0]["token"], "ey2")

        self.run_with(["ey1", "ey2"], test)

    def test_a_new_token_that_has_ended_too_is_not_used_again(self) -> None:
        async def test(loop, server, client, calls) -> None:
            server.welcome(expires_in_ms=100_000, ping=1_000)
            await loop.pass_time(71)
            asked = server.take()[-1]
            self.assertEqual((asked["type"], asked["token"]), ("authenticate", "ey2"))
            server.receive({"type": "error", "id": asked["id"], "code": "token_ended", "message": "it has ended"})
            server.events.closed("the server has closed the connection")
            await loop.pass_time(15)
            server.welcome()
            self.assertEqual(server.take()[0]["token"], "ey3")

        self.run_with(["ey1", "ey2", "ey3"], test)

    def test_a_token_that_breaks_a_rule_ends_the_client(self) -> None:
        for code, reason in (("unauthorized", "unauthorized"), ("forbidden", "other_user")):
            async def test(loop, server, client, calls) -> None:
                server.welcome(expires_in_ms=100_000, ping=1_000)
                await loop.pass_time(71)
                refusal = {"type": "error", "id": server.take()[-1]["id"], "code": code, "message": "no"}
                server.receive(refusal)
                self.assertEqual((client.link.state, client.link.reason), ("ended", reason))

            with self.subTest(code):
                self.run_with(["ey1", "ey2"], test)

    def test_followers_begin_again_when_the_rights_have_changed(self) -> None:
        async def test(loop, server, client, calls) -> None:
            server.welcome(expires_in_ms=100_000, ping=1_000)
            events = client.follow("notes/")
            server.receive({"type": "gone", "doc": "notes/a", "reason": "deleted", "followed": True})
            self.assertEqual([(await anext(events)).kind for _ in range(2)], ["restarted", "gone"])
            await loop.pass_time(71)
            asked = server.take()[-1]
            server.receive({"type": "authenticated", "id": asked["id"], "user": "ann", "changed": True})
            self.assertEqual((await anext(events)).kind, "restarted")
            self.assertEqual([one["type"] for one in server.take()], ["follow"])

        self.run_with(["ey1", "ey2"], test)

    def test_a_refresh_that_fails_is_repeated_every_10_s_while_the_client_is_online(self) -> None:
        async def test(loop, server, client, calls) -> None:
            server.welcome(expires_in_ms=100_000, ping=1_000)
            await loop.pass_time(95)
            self.assertEqual(calls, [0.0, 70.0, 80.0, 90.0])
            self.assertEqual(client.link.state, "online")

        self.run_with(["ey1", OSError("down"), OSError("down"), "ey2"], test)


class _Never(asyncio.Future):  # type: ignore[type-arg]
    """An answer that never comes."""

    def __init__(self) -> None:
        super().__init__(loop=mock.Mock())

    def __await__(self):
        yield from asyncio.sleep(1e9).__await__()


if __name__ == "__main__":
    unittest.main()
