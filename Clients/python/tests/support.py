"""Helpers of the tests: where the repository is, and texts of UTF-16 code units."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parents[1]
REPOSITORY = PACKAGE.parents[1]
FIXTURES = REPOSITORY / "Tests/Fixtures"
sys.path.insert(0, str(PACKAGE / "src"))


def fixture(name: str) -> Any:
    return json.loads((FIXTURES / name).read_text(encoding="utf-8"))


def units(value: Any) -> Any:
    """The value with every text in it as one of UTF-16 code units, in which the shared fixtures count.

    A scalar beyond U+FFFF becomes two surrogates, each of which Python takes for one letter.
    """
    if isinstance(value, str):
        data = value.encode("utf-16-le")
        return "".join(chr(data[index] | data[index + 1] << 8) for index in range(0, len(data), 2))
    if isinstance(value, list):
        return [units(one) for one in value]
    if isinstance(value, dict):
        return {key: units(one) for key, one in value.items()}
    return value


def scalars(text: str) -> str:
    """The reverse of `units`."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
