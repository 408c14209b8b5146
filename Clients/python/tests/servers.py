"""A real server of a test: `caretd` from the folder CARET_BIN, with a data folder of its own."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from pathlib import Path
from types import TracebackType

import support

BIN = Path(os.environ.get("CARET_BIN") or support.REPOSITORY / ".build/release")
START_TIME = 60
"""How long a server may need to start or to stop before the test fails, in seconds."""


class Server:
    """A server on a port of the system's choice, which a restarted server keeps."""

    def __init__(self, *options: str) -> None:
        self._options = options
        # A folder with a short name, because a path to a Unix socket must be short.
        self.folder = Path(tempfile.mkdtemp(prefix="caret-"))
        self.port = 0
        self.log: list[str] = []
        self._process: subprocess.Popen[str] | None = None
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    @property
    def address(self) -> str:
        return f"caret://127.0.0.1:{self.port}"

    @property
    def socket(self) -> str:
        """The path of the socket for local administrators."""
        return str(self.folder / "data/caretd.sock")

    def start(self) -> None:
        """Starts the server, or starts it again."""
        # Variables named CARET_… would configure the server.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CARET_")}
        self._process = subprocess.Popen(
            [BIN / "caretd", "--data", self.folder / "data", "--listen", f"127.0.0.1:{self.port}", *self._options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment,
        )
        ready = threading.Event()
        self._reader = threading.Thread(target=self._read_log, args=(self._process, ready))
        self._reader.start()
        if not ready.wait(START_TIME) or self._process.poll() is not None:
            raise RuntimeError("the server did not start:\n" + "".join(self.log))

    def _read_log(self, process: subprocess.Popen[str], ready: threading.Event) -> None:
        assert process.stdout
        for line in process.stdout:
            self.log.append(line)
            listening = re.search(r"transport=\w+ address=127\.0\.0\.1:(\d+)", line)
            if listening:
                self.port = int(listening[1])
            if "event=ready" in line:
                ready.set()
        ready.set()

    def kill(self) -> None:
        """Ends the server at once, as a crash does."""
        self._end(signal.SIGKILL)

    def _end(self, number: int) -> None:
        process, self._process = self._process, None
        if process:
            process.send_signal(number)
            process.wait(START_TIME)
            self._reader.join()
            assert process.stdout
            process.stdout.close()

    def stop(self) -> None:
        """Stops the server, and removes its data."""
        self._end(signal.SIGTERM)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
