"""The shared conversations of one document, run by the replica."""

from __future__ import annotations

import unittest
from typing import Any

import support
from caret_client import actions
from caret_client.changes import Edit, Selection, apply, compose, fitted
from caret_client.replica_messages import Replica

FOLDER = support.FIXTURES / "conversations"


def edits(value: list[Any]) -> tuple[Edit, ...]:
    return tuple(Edit(*one["range"], one["text"]) for one in value)


def selections(value: list[Any]) -> tuple[Selection, ...]:
    return tuple(Selection(*one) for one in value)


def received(message: dict[str, Any]) -> dict[str, Any]:
    """A message as wire.decode returns it."""
    message = dict(message)
    if "edits" in message:
        message["edits"] = edits(message["edits"])
    if "selections" in message:
        message["selections"] = selections(message["selections"])
    if "peers" in message:
        message["peers"] = [received(peer) for peer in message["peers"]]
    return message


class Run:
    """A document in a conversation."""

    def __init__(self) -> None:
        self.replica = Replica()
        self.name = "notes"
        self.view = ""

    def happen(self, step: dict[str, Any]) -> dict[str, Any]:
        outcome: dict[str, Any] = {"out": [], "view": (), "retryAfter": None}
        for action in self.actions_of(step):
            self.note(action, outcome)
        outcome["view"] = plain(outcome["view"])
        return outcome

    def actions_of(self, step: dict[str, Any]) -> list[actions.ReplicaAction]:
        replica = self.replica
        if "type" in step:
            change = fitted(edits(step["type"]), len(replica.draft.text))
            self.view = apply(self.view, change)
            return replica.typed(change)
        if "in" in step:
            return replica.received(received(step["in"]))
        if "select" in step:
            return replica.selected(selections(step["select"]))
        if "connect" in step:
            return replica.connected()
        # This client keeps nothing on disk, so a restart is a lost connection for it.
        if "cut" in step or "restart" in step:
            return replica.disconnected()
        if "wait" in step:
            return replica.time_passed()
        return replica.retried() if "retry" in step else replica.discarded()

    def note(self, action: actions.ReplicaAction, outcome: dict[str, Any]) -> None:
        out = outcome["out"]
        if isinstance(action, actions.OpenDocument):
            where = action.position and {"epoch": action.position[0], "rev": action.position[1]}
            out.append({"type": "open", "doc": self.name, **(where or {})})
        elif isinstance(action, actions.CloseDocument):
            out.append({"type": "close", "doc": self.name})
        elif isinstance(action, actions.SendPush):
            pushed = [{"range": list(one["range"]), "text": one["text"]} for one in action.message["edits"]]
            out.append({**action.message, "doc": self.name, "edits": pushed})
        elif isinstance(action, actions.SendSelections):
            chosen = [list(one) for one in action.selections]
            out.append({"type": "select", "doc": self.name, "rev": action.revision, "selections": chosen})
        elif isinstance(action, actions.ReportDivergence):
            out.append({"type": "diverged", "doc": self.name, "rev": action.revision})
        elif isinstance(action, actions.RetryAfter):
            outcome["retryAfter"] = action.delay * 1000
        elif isinstance(action, actions.Rename):
            self.name = action.name
        elif isinstance(action, actions.ShowEdits):
            self.view = apply(self.view, action.edits)
            outcome["view"] = compose(outcome["view"], action.edits)

    @property
    def state(self) -> dict[str, Any]:
        replica, draft = self.replica, self.replica.draft
        saving, code = replica.saving
        return {
            "text": draft.text, "committed": draft.committed, "inFlight": plain(draft.in_flight),
            "position": replica.position and {"epoch": replica.position[0], "rev": replica.position[1]},
            "unsent": plain(draft.unsent), "selections": [list(one) for one in replica.selections],
            "peers": [
                {"session": session, "selections": [list(one) for one in chosen]}
                for session, chosen in replica.peers.items()
            ],
            "saving": saving, "refused": code,
        }


def plain(change: tuple[Edit, ...]) -> list[Any]:
    return [{"range": [start, end], "text": text} for start, end, text in change]


class ConversationTests(unittest.TestCase):
    maxDiff = None

    def test_conversations(self) -> None:
        count = 0
        for file in sorted(FOLDER.glob("*.json")):
            for conversation in support.fixture(f"conversations/{file.name}")["conversations"]:
                with self.subTest(f"{file.name}: {conversation['about']}"):
                    count += self.follow(conversation["steps"])
        self.assertGreater(count, 200)

    def follow(self, steps: list[Any]) -> int:
        run = Run()
        state = run.state
        for index, step in enumerate(steps):
            step = support.units(step)
            outcome = run.happen(step)
            state.update(step.get("state", {}))
            expected = {"out": step["out"], "view": step.get("view", []), "retryAfter": step.get("retryAfter")}
            self.assertEqual(outcome, expected, f"step {index}")
            self.assertEqual(run.state, state, f"step {index}")
            self.assertEqual(run.view, run.state["text"], f"step {index}")
        return len(steps)


if __name__ == "__main__":
    unittest.main()
