# Runs the tutorial's clients against its authority in one process: python3 simulation.py SEED...
#
# Each client has a link that loses what is on its way whenever it is cut. At the end all links are up, nothing is on
# its way, and all texts are equal. In some runs clients ask for the whole text now and then, and in some of these the
# authority gets another epoch.
import json, random, sys
from authority import Authority
from caret_client import Client
from draft import Draft, apply, normal, to_wire

LETTERS = "abc\n😀é"


class Watched(Draft):
    """A draft with a view that changes only as the draft says."""

    view = ""

    def receive(self, theirs):
        self.view = apply(self.view, super().receive(theirs))


class Renewed(Authority):
    """An authority whose epoch can change. Its text stays, and so does what it knows of its clients."""

    epoch = "e1"

    def open(self, client, say, rev=None):
        super().open(client, lambda message: say({**message, "epoch": self.epoch}), rev)

    def push(self, client, message):
        is_repeat = self.known.get(client, (0, 0))[0] == message["seq"]
        if is_repeat or message["epoch"] == self.epoch:
            super().push(client, message)
        else:
            self.sessions[client]({"type": "error", "code": "epoch_changed", "seq": message["seq"]})


class Link:
    """What is on its way between one client and the authority. It is the client's writer."""

    def __init__(self, authority, name):
        self.authority, self.name, self.is_up, self.up, self.down = authority, name, False, [], []
        self.client = Client("nowhere", 0, "notes")
        self.client.writer, self.client.draft = self, Watched()

    def write(self, line):
        if self.is_up:
            self.up.append(json.loads(line))

    def connect(self):
        self.is_up = True
        rev = self.client.rev if self.client.epoch == self.authority.epoch else None
        self.authority.open(self.name, self.down.append, rev)

    def cut(self):
        self.is_up, self.client.is_open, self.up, self.down = False, False, [], []
        self.authority.sessions.pop(self.name, None)

    def deliver_up(self):
        if self.up:
            self.authority.push(self.name, self.up.pop(0))

    def forget(self):
        """Its client asks for the whole text next time."""
        self.cut()
        self.client.epoch = None

    def deliver_down(self, expects_same_edits):
        if self.down:
            message = self.down.pop(0)
            if expects_same_edits and message["type"] == "ack" and message["rev"] == self.client.rev + 1:
                # The authority and the client move a change over the same revisions, each by itself.
                assert to_wire(normal(self.client.draft.mine[0])) == message["edits"]
            self.client.hear(message)
            assert self.client.draft.view == self.client.draft.text()

    def type(self, chance):
        text = self.client.draft.text()
        start = chance.randint(0, len(text))
        end = min(len(text), start + chance.choice([0, 0, 1, 3]))
        new = "".join(chance.choices(LETTERS, k=chance.choice([0, 1, 1, 4])))
        self.client.edit(start, end, new)
        self.client.draft.view = apply(text, [(start, end, new)])


def run(seed):
    chance, authority, forgets = random.Random(seed), Renewed(), seed % 2 == 1
    links = [Link(authority, name) for name in ("ann", "bob", "cem")]
    for step in range(400):
        if step % 100 == 99 and seed % 4 == 3:
            authority.epoch = f"e{step}"
            for link in links:
                link.cut()
        link = chance.choice(links)
        if not link.is_up:
            chance.random() < 0.3 and link.connect()
        match chance.choices("tudcf", [4, 6, 9, 1, 1 if forgets else 0])[0]:
            case "t": link.type(chance)
            case "u": link.deliver_up()
            case "d": link.deliver_down(expects_same_edits=not forgets)
            case "c": link.cut()
            case "f": link.forget()
    for link in links:
        if not link.is_up:
            link.connect()
    while any(link.up or link.down for link in links):
        for link in links:
            link.deliver_up()
            link.deliver_down(expects_same_edits=not forgets)
    for link in links:
        assert not link.client.draft.mine, f"seed {seed}: {link.name} has changes without an ack"
        assert link.client.draft.committed == authority.text, f"seed {seed}: {link.name} has another text"
    return len(authority.log)


if __name__ == "__main__":
    first, last = map(int, sys.argv[1:])
    changes = sum(run(seed) for seed in range(first, last))
    print(f"{last - first} runs, {changes} changes")
