# Runs the published conversations through the full client: python3 conversations.py FOLDER
#
# The conversations count UTF-16 code units, so each text is one of code units, as in vectors.py.
import json, pathlib, sys
from draft import from_wire, normal, to_wire
from full_client import FullClient
from vectors import units


def happen(client, step):
    client.lines, client.view, client.retry_after = [], [], None
    if "type" in step:
        client.typed(normal(from_wire(step["type"])))
    elif "in" in step:
        client.hear(step["in"])
    elif "select" in step:
        client.selected(step["select"])
    elif "connect" in step:
        client.connected()
    elif "cut" in step or "restart" in step:
        # All that this client has is what it would keep, but for what a cut takes too.
        client.cut()
    elif "wait" in step:
        client.waited()
    elif "retry" in step:
        client.retry()
    else:
        client.discard()


def state(client):
    saving, refused = client.saving()
    peers = [{"session": key, "selections": client.drawn(value)} for key, value in client.peers.items()]
    return {
        "text": client.text, "committed": client.committed, "position": client.position and dict(client.position),
        "inFlight": to_wire(client.in_flight), "unsent": to_wire(client.unsent), "selections": client.selections,
        "peers": peers, "saving": saving, "refused": refused,
    }


def follow(steps, about):
    client = FullClient("notes")
    expected = state(client)
    for index, step in enumerate(steps):
        step = units(step)
        happen(client, step)
        expected.update(step.get("state", {}))
        outcome = [client.lines, to_wire(client.view), client.retry_after, state(client)]
        wanted = [step["out"], step.get("view", []), step.get("retryAfter"), expected]
        assert outcome == wanted, f"{about}, step {index}:\n{outcome}, not\n{wanted}"
    return len(steps)


if __name__ == "__main__":
    count = 0
    for file in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
        for conversation in json.loads(file.read_text())["conversations"]:
            count += follow(conversation["steps"], f"{file.name}: {conversation['about']}")
    print(f"{count} steps")
