"""The Python clients of earlier releases, beside today's, with today's server."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

import support
from caret_client import blocking
from servers import Server

RELEASES = support.REPOSITORY / "Tests/Fixtures/releases"
WHEEL = "clients/caret_client.whl"

# Run by a Python that has only the released client: types words while the test types others and restarts the server.
# Prints its text once it is as long as the test says.
PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from caret_client import blocking
with blocking.connect(sys.argv[2], name="Old") as client:
    document = client.open("notes/a", create=True)
    print("open", flush=True)
    for number in range(100):
        document.append(f"<old {number}>")
        if number % 10 == 0:
            document.saved()
    document.saved()
    document.select((0, 3))
    length = int(sys.stdin.readline())
    changes = document.changes()
    while len(document.text) < length:
        next(changes)
    print(document.text, flush=True)
"""


def released_wheels(folder: Path) -> list[Path]:
    """The wheels of the releases that have one, unpacked."""
    found = []
    for archive in sorted(RELEASES.glob("*.tar.gz")):
        with tarfile.open(archive) as release:
            if WHEEL in release.getnames():
                release.extract(WHEEL, folder / archive.name)
                found.append(folder / archive.name / WHEEL)
    return found


class ReleasedClientTests(unittest.TestCase):
    def test_no_word_is_lost_beside_todays_client(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="caret-")
        self.addCleanup(folder.cleanup)
        wheels = released_wheels(Path(folder.name))
        self.assertTrue(wheels)
        for wheel in wheels:
            with self.subTest(wheel.parent.parent.name), Server() as server, blocking.connect(server.address) as client:
                old = subprocess.Popen(
                    [sys.executable, "-I", "-c", PROGRAM, wheel, server.address], stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, text=True)
                self.addCleanup(old.communicate)
                self.addCleanup(old.kill)
                assert old.stdin and old.stdout
                self.assertEqual(old.stdout.readline(), "open\n")
                document = client.open("notes/a")
                for number in range(100):
                    document.append(f"<new {number}>")
                    if number == 50:
                        server.kill()
                        server.start()
                document.saved()
                changes = document.changes()
                while document.text.count("<old ") < 100:
                    self.assertIsNone(old.poll())
                    next(changes)
                text = document.text
                words = sorted(f"<{who} {number}>" for who in ("old", "new") for number in range(100))
                self.assertEqual(sorted(word + ">" for word in text.split(">")[:-1]), words)
                old.stdin.write(f"{len(text)}\n")
                old.stdin.flush()
                self.assertEqual(old.stdout.readline(), text + "\n")


if __name__ == "__main__":
    unittest.main()
