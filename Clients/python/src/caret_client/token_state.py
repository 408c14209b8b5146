"""Gets tokens from a function of the program, and replaces them before they end.

While the client waits for the first token, or for another one after the last has ended, the state of the link is
`asking`. At most one call of the function counts at a time.
"""

from __future__ import annotations

from math import inf

from .actions import AskForToken, ClientAction, LinkChanged, Send
from .backoff import LONGEST_REQUESTED_DELAY
from .client_state import ClientState, Link
from .document_state import refusal_of
from .errors import CaretError
from .rotation import ServerRotation
from .wire import Message

ASK_PAUSE = 10.0
"""The shortest time from a token to the next call, and from a failure to the next attempt while online."""
LONGEST_CALL = 30.0
"""How long a call may take before the client goes on without it. A later answer counts until the next call begins."""


class TokenClientState(ClientState):
    """ClientState with a token function."""

    def __init__(self, servers: list[str], client: str, info: Message | None = None, owns_id: bool = True) -> None:
        super().__init__(servers, client, None, info, owns_id)
        self._user: str | None = None
        self._token: str | None = None
        """The newest token of the function, or None if it has ended."""
        self._ends_at = inf
        self._arrived_at = -inf
        self._accepted: str | None = None
        """The token that the server has accepted last."""
        self._authenticating: tuple[int, str] | None = None
        """The `authenticate` without an answer: its id and its token."""
        self._refresh_at = inf
        """When the client needs another token, or sends this one again, while it is online."""
        self._answer_due_at = inf
        """When the call that runs counts as failed."""
        self._last_call = 0
        self._delays = ServerRotation([""])
        """The delays after calls that have failed."""

    # Before the client connects.

    def connect(self, now: float) -> list[ClientAction]:
        self._authenticating, self._refresh_at = None, inf
        if self._ends_at <= now:
            self._drop(self._token)
        if self._token is not None:
            return super().connect(now)
        until = self._arrived_at + ASK_PAUSE
        if until > now:
            self.link = Link("waiting", self.link.reason, until)
            return [LinkChanged()]
        self.link = Link("asking", self.link.reason)
        return [LinkChanged(), *self._ask(now)]

    def connected(self, now: float) -> list[ClientAction]:
        self.hello = {**self.hello, "token": self._token}
        return super().connected(now)

    def _ask(self, now: float) -> list[ClientAction]:
        self._refresh_at = inf
        if self._answer_due_at < inf:
            return []
        self._answer_due_at = now + LONGEST_CALL
        self._last_call += 1
        return [AskForToken(self._last_call)]

    def _drop(self, token: str | None) -> None:
        if token == self._token:
            self._token, self._ends_at = None, inf

    # Answers of the function.

    def token_arrived(self, token: str | None, call: int, now: float, jitter: float) -> list[ClientAction]:
        """The function has answered. None means that the user is signed out."""
        if call != self._last_call or self.link.state == "ended":
            return []
        self._answer_due_at = inf
        if token is None:
            return self.end("signed_out", CaretError("signed_out", "the token function has answered None"))
        if token != self._token:
            self._ends_at = inf
        self._token, self._arrived_at = token, now
        self._delays.welcomed(now)
        if self.link.state == "asking":
            return [*super().connect(now), *self.wake()]
        # Offline, the next attempt uses it.
        return [*self._authenticate(now, jitter), *self.wake()] if self.is_online else []

    def token_failed(self, reason: str, call: int, now: float, jitter: float) -> list[ClientAction]:
        """The function has failed, for example because its backend cannot be reached."""
        if call != self._last_call or self.link.state == "ended":
            return []
        self._answer_due_at = inf
        if self.link.state != "asking":
            self._refresh_at = now + ASK_PAUSE
            return self.wake()
        failure = self._delays.failed(reason, 0.0, now, jitter)
        self.link = Link("waiting", failure.reason, now + (failure.delay or 0.0))
        return [LinkChanged(), *self.wake()]

    # While the client is online.

    @property
    def deadline(self) -> float | None:
        if self.link.state == "ended":
            return None
        moment = min(self._answer_due_at, self._refresh_at if self.is_online else inf)
        return moment if moment < inf else None

    def time_passed(self, now: float, jitter: float) -> list[ClientAction]:
        done: list[ClientAction] = []
        if self._answer_due_at <= now:
            sentence = f"the token function has not answered for {LONGEST_CALL:g} s"
            done += self.token_failed(sentence, self._last_call, now, jitter)
        if self.is_online and self._refresh_at <= now:
            has_another = self._token is not None and self._token != self._accepted
            done += self._authenticate(now, jitter) if has_another else self._ask(now)
        return [*done, *super().time_passed(now, jitter)]

    def _authenticate(self, now: float, jitter: float) -> list[ClientAction]:
        assert self._token is not None
        # The function has answered with the same token again. Another one may come later.
        if self._token == self._accepted:
            self._schedule(now, jitter)
            return []
        self._refresh_at = inf
        self._authenticating = (self.next_id(), self._token)
        return [Send({"type": "authenticate", "token": self._token}, self._authenticating[0])]

    def _schedule(self, now: float, jitter: float) -> None:
        """Clients with tokens of the same moment must not all ask at once."""
        share = 0.7 + 0.15 * jitter
        self._refresh_at = max(now + share * (self._ends_at - now), self._arrived_at + ASK_PAUSE)

    # Messages of the server.

    def received(self, message: Message, now: float, jitter: float) -> list[ClientAction]:
        if self.link.state == "greeting":
            return self._greeted(message, now, jitter)
        if self.is_online and message["type"] == "bye" and message["reason"] == "token_ended":
            self._drop(self._accepted)
        done: list[ClientAction] = []
        if self._authenticating and message.get("id") == self._authenticating[0]:
            done = [*self._answered(self._authenticating[1], message, now, jitter), *self.wake()]
        return [*done, *super().received(message, now, jitter)]

    def _greeted(self, message: Message, now: float, jitter: float) -> list[ClientAction]:
        token = self.hello["token"]
        # The server has accepted this token before, so its key was probably removed, and another token may help.
        if message.get("code") == "unauthorized" and self._accepted is not None and token == self._accepted:
            self._accepted = None
            message = {**message, "code": "token_ended"}
        if "token_ended" in (message.get("code"), message.get("reason")):
            self._drop(token)
        if message["type"] == "welcome":
            if self._user not in (None, message["user"]):
                return self._end_for_other_user()
            # Unsaved edits of this user must not go to another one.
            self._user = message["user"]
            self._accept(token, message, now, jitter)
        return super().received(message, now, jitter)

    def _accept(self, token: str, message: Message, now: float, jitter: float) -> None:
        self._accepted = token
        # The function may have answered with another one meanwhile.
        if token != self._token:
            self._refresh_at = now
            return
        self._ends_at = now + message["expires_in_ms"] / 1000 if "expires_in_ms" in message else inf
        self._schedule(now, jitter)

    def _answered(self, token: str, message: Message, now: float, jitter: float) -> list[ClientAction]:
        self._authenticating = None
        if message["type"] == "authenticated":
            return self._authenticated(token, message, now, jitter)
        code = message.get("code")
        if code == "forbidden":
            return self._end_for_other_user()
        if code == "unauthorized":
            return self.end(code, refusal_of(message))
        if code == "token_ended":
            self._drop(token)
        delay = message.get("retry_after_ms")
        self._refresh_at = now + (ASK_PAUSE if delay is None else min(delay / 1000, LONGEST_REQUESTED_DELAY))
        return []

    def _authenticated(self, token: str, message: Message, now: float, jitter: float) -> list[ClientAction]:
        if message["user"] != self._user:
            return self._end_for_other_user()
        self._accept(token, message, now, jitter)
        kept = {name: value for name, value in self.welcome.items() if name not in ("rights", "grants")}
        new = {name: message[name] for name in ("rights", "grants") if name in message}
        self.welcome = {**kept, **new}
        return [LinkChanged(), *self.send_follow()] if message.get("changed") else []

    def _end_for_other_user(self) -> list[ClientAction]:
        sentence = "the token function has answered with another user's token"
        return self.end("other_user", CaretError("other_user", sentence))
