"""The shared fixtures of Tests/Fixtures: the rules that every client follows."""

from __future__ import annotations

import unittest
from typing import Any

import support
from caret_client.changes import (
    Edit, Edits, Mapping, Selection, apply, compose, compose_all, difference, fitted, normal, rebase,
)
from caret_client.errors import CaretError

TIES = {"selfFirst": "self_first", "otherFirst": "other_first"}
CODES = {"outside": "outside", "outOfOrder": "out_of_order"}


def edits(value: list[Any]) -> list[Edit]:
    return [Edit(*one["range"], one["text"]) for one in value]


def plain(change: Edits) -> list[Any]:
    return [{"range": [start, end], "text": text} for start, end, text in change]


class FixtureTests(unittest.TestCase):
    def run_cases(self, kind: str, answer: Any) -> None:
        count = 0
        for case in support.fixture(f"{kind}.json")["cases"]:
            refused = case.get("refused")
            # No offset is inside a scalar in a Python text, and what a text may have is checked elsewhere.
            if refused and refused["code"] not in CODES:
                continue
            with self.subTest(case["about"]):
                case = support.units(case)
                if refused:
                    with self.assertRaises(CaretError) as failure:
                        answer(case)
                    self.assertEqual(failure.exception.code, CODES[refused["code"]])
                else:
                    self.assertEqual(answer(case), case["becomes"])
                count += 1
        self.assertGreater(count, 0)

    def test_apply(self) -> None:
        self.run_cases("apply", lambda case: apply(case["text"], fitted(edits(case["change"]), len(case["text"]))))

    def test_normal_form(self) -> None:
        self.run_cases("normal-form", lambda case: plain(fitted(edits(case["edits"]), 1 << 40)))

    def test_compose(self) -> None:
        def composed(case: Any) -> Any:
            first, second = normal(edits(case["first"])), normal(edits(case["second"]))
            both = compose(first, second)
            if "text" in case:
                self.assertEqual(apply(apply(case["text"], first), second), case["both"])
                self.assertEqual(apply(case["text"], both), case["both"])
            return plain(both)

        self.run_cases("compose", composed)

    def test_rebase(self) -> None:
        def rebased(case: Any) -> Any:
            change, over, tie = normal(edits(case["change"])), normal(edits(case["over"])), TIES[case["tie"]]
            answer = rebase(change, over, tie)
            if "text" in case:
                other = rebase(over, change, "self_first" if tie == "other_first" else "other_first")
                self.assertEqual(apply(apply(case["text"], over), answer), case["both"])
                self.assertEqual(apply(apply(case["text"], change), other), case["both"])
            return plain(answer)

        self.run_cases("rebase", rebased)

    def test_map(self) -> None:
        def mapped(case: Any) -> Any:
            mapping = Mapping(normal(edits(case["change"])))
            if "caret" in case:
                return mapping.caret(case["caret"])
            return list(mapping.selection(Selection(*case["selection"])))

        self.run_cases("map", mapped)

    def test_differences_lead_to_the_new_text(self) -> None:
        for case in support.fixture("diff.json")["cases"]:
            old, new = support.units(case["old"]), support.units(case["new"])
            self.assertEqual(apply(old, difference(old, new)), new)


class LawTests(unittest.TestCase):
    """Laws over all small changes, and the slow definitions of docs/protocol/transforms.md as a model."""

    def small_changes(self, length: int, text: str) -> list[Edits]:
        ranges = [(start, end) for start in range(length + 1) for end in range(start, length + 1)]
        single = [normal([Edit(*one, new)]) for one in ranges for new in ("", text)]
        pairs = [
            normal([Edit(*first, text), Edit(*second, new)])
            for first in ranges for second in ranges if first[1] < second[0] for new in ("", text + text)
        ]
        return single + pairs

    def test_both_orders_of_two_changes_give_one_text(self) -> None:
        text = "abcd"
        for one in self.small_changes(4, "x"):
            for other in self.small_changes(4, "y"):
                first = apply(apply(text, one), rebase(other, one, "other_first"))
                second = apply(apply(text, other), rebase(one, other, "self_first"))
                self.assertEqual(first, second, (one, other))

    def test_rebase_and_map_follow_the_formulas(self) -> None:
        for one in self.small_changes(4, "x"):
            for other in self.small_changes(4, "y"):
                self.assertEqual(rebase(one, other, "other_first"), slow_rebase(one, other), (one, other))
            for at in range(5):
                self.assertEqual(Mapping(one).caret(at), slow_caret(at, one))

    def test_composed_changes_do_what_their_parts_do(self) -> None:
        text = "abc"
        for first in self.small_changes(3, "x"):
            middle = apply(text, first)
            for second in self.small_changes(len(middle), "y"):
                composed = compose(first, second)
                self.assertEqual(apply(text, composed), apply(middle, second), (first, second))
                self.assertEqual(composed, normal(composed))

    def test_many_edits_in_a_large_text_are_composed_in_linear_time(self) -> None:
        first = (Edit(0, 0, "x" * 400_000),)
        second = tuple(Edit(at, at + 1, "y") for at in range(0, 400_000, 40))
        self.assertEqual(compose(first, second), (Edit(0, 0, ("y" + "x" * 39) * 10_000),))

    def test_many_changes_are_composed_like_one_after_the_other(self) -> None:
        changes = [normal([Edit(index // 2, index // 2 + index % 2, str(index))]) for index in range(13)]
        text = "." * 20
        expected = text
        for change in changes:
            expected = apply(expected, change)
        self.assertEqual(apply(text, compose_all(changes)), expected)
        self.assertEqual(compose_all([]), ())


def slow_caret(at: int, change: Edits) -> int:
    return at + sum(len(t) - (min(e, at) - s) for s, e, t in change if s <= at)


def slow_rebase(change: Edits, over: Edits) -> Edits:
    pieces = []
    for start, end, text in change:
        at, shift = slow_caret(start, over), 0
        pieces.append(Edit(at, at, text))
        for s, e, t in [*over, Edit(end, end, "")]:
            if start < min(s, end):
                pieces.append(Edit(start + shift, min(s, end) + shift, ""))
            start, shift = max(start, e), shift + len(t) - (e - s)
    return normal(pieces)


if __name__ == "__main__":
    unittest.main()
