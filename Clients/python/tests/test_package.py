"""The wheel and the source archive, as people install them."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

import support
import caret_client
from caret_client import blocking
from servers import Server
from test_guide import PAGE, blocks

def make(root: Path, output: Path) -> list[Path]:
    """Makes the packages of the sources in a folder."""
    subprocess.run([root / "scripts/package-python", output], check=True, stdout=subprocess.DEVNULL)
    return sorted(output.iterdir())


class PackageTests(unittest.TestCase):
    folder: Path
    wheel: Path
    archive: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="caret-"))
        cls.archive, cls.wheel = make(support.REPOSITORY, cls.folder / "packages")

    @classmethod
    def tearDownClass(cls) -> None:
        shutil.rmtree(cls.folder)

    def test_the_version_is_that_of_the_server(self) -> None:
        source = (support.REPOSITORY / "Sources/CaretConfig/Version.swift").read_text()
        found = re.search(r'word: LogWord = "(.*)"', source)
        assert found
        self.assertEqual(caret_client.__version__, found[1])
        self.assertEqual(self.wheel.name, f"caret_client-{found[1]}-py3-none-any.whl")
        self.assertIn(self.wheel.name, PAGE.read_text(encoding="utf-8"))

    def test_other_folders_and_times_of_files_make_the_same_bytes(self) -> None:
        root = self.folder / "other"
        for name in ("Clients/python", "scripts"):
            shutil.copytree(support.REPOSITORY / name, root / name, copy_function=shutil.copy)
        (root / "scripts/package-python").chmod(0o700)
        shutil.copy(support.REPOSITORY / "LICENSE", root)
        for left, right in zip(make(root, self.folder / "other packages"), (self.archive, self.wheel), strict=True):
            self.assertEqual((left.name, left.read_bytes()), (right.name, right.read_bytes()))

    def test_the_wheel_has_the_types_and_needs_nothing(self) -> None:
        with zipfile.ZipFile(self.wheel) as wheel:
            names = set(wheel.namelist())
            metadata = wheel.read(f"caret_client-{caret_client.__version__}.dist-info/METADATA").decode()
        files = [file for file in (support.PACKAGE / "src/caret_client").glob("*.py*") if file.is_file()]
        sources = {f"caret_client/{file.name}" for file in files}
        self.assertEqual({name for name in names if ".dist-info/" not in name}, sources | {"caret_client/py.typed"})
        self.assertNotIn("Requires-Dist", metadata)
        self.assertIn("Requires-Python: >=3.11", metadata)
        with tarfile.open(self.archive) as archive:
            root = f"caret-client-{caret_client.__version__}"
            self.assertTrue(archive.getmember(f"{root}/LICENSE").isfile())

    def test_lines_and_functions_are_short(self) -> None:
        for file in sorted(support.PACKAGE.rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            for number, line in enumerate(text.splitlines(), 1):
                self.assertLessEqual(len(line), 120, f"{file.name}:{number}")
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    self.assertLessEqual(node.end_lineno - node.lineno, 60, f"{file.name}: {node.name}")

    def test_the_sources_import_only_the_standard_library(self) -> None:
        for file in (support.PACKAGE / "src/caret_client").glob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and node.level == 0:
                    names = [node.module or ""]
                for name in names:
                    self.assertIn(name.partition(".")[0], sys.stdlib_module_names, file.name)

    def test_the_guide_works_without_a_network(self) -> None:
        place = self.folder / "place"
        place.mkdir()
        install, run = blocks("sh")[:2]
        environment = {**os.environ, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PATH": "/usr/bin:/bin"}
        with Server() as server:
            install = install.replace("127.0.0.1:22738", f"127.0.0.1:{server.port}")
            subprocess.run(["bash", "-ec", install], cwd=place, env=environment, check=True, stdout=subprocess.DEVNULL)
            program = blocks("python")[0].replace('"127.0.0.1"', f'"{server.address}"')
            (place / "letters.py").write_text(program)
            command = ["bash", "-ec", f"exec {run}"]
            running = subprocess.Popen(command, cwd=place, env=environment, stdout=subprocess.PIPE)
            self.addCleanup(running.communicate)
            self.addCleanup(running.kill)
            with blocking.connect(server.address) as client:
                document = client.open("agenda", create=True)
                document.append("a letter")
                # What is typed after the program has opened the document, it prints.
                admin = blocking.connect(server.socket)
                while sum("agenda" in one["docs"] for one in admin.request({"type": "who"})["connections"]) < 2:
                    pass
                admin.close()
                document.append("!")
                document.saved()
            assert running.stdout
            self.assertIn(running.stdout.read(1), (b"a", b"!"))


if __name__ == "__main__":
    unittest.main()
