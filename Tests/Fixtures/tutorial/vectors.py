# Runs the published cases through the tutorial's functions: python3 vectors.py FIXTURES CARETS.json
#
# The cases count UTF-16 code units, and Python's texts count scalars. So each text here is one of code units: a scalar
# beyond U+FFFF is two surrogates, each of which Python takes for one letter.
import json, pathlib, sys
from draft import apply, from_wire, map_caret, map_selection, normal, rebase, to_wire
from full_client import compose


def units(value):
    """The value with every text in it as one of code units."""
    if isinstance(value, str):
        data = value.encode("utf-16-le")
        return "".join(chr(data[i] | data[i + 1] << 8) for i in range(0, len(data), 2))
    if isinstance(value, list):
        return [units(one) for one in value]
    if isinstance(value, dict):
        return {key: units(one) for key, one in value.items()}
    return value


def change(edits):
    return normal(from_wire(edits))


def mapped(case):
    if "caret" in case:
        return map_caret(case["caret"], change(case["change"]))
    return list(map_selection(*case["selection"], change(case["change"])))


def rebased(case):
    answer = rebase(change(case["change"]), change(case["over"]), case["tie"])
    if "text" in case:
        text, over = case["text"], change(case["over"])
        other = rebase(over, change(case["change"]), "selfFirst" if case["tie"] == "otherFirst" else "otherFirst")
        assert apply(apply(text, over), answer) == case["both"], case
        assert apply(apply(text, change(case["change"])), other) == case["both"], case
    return to_wire(answer)


ANSWERS = {
    "apply": lambda case: apply(case["text"], change(case["change"])),
    "carets": mapped,
    "compose": lambda case: to_wire(compose(change(case["first"]), change(case["second"]))),
    "map": mapped,
    "normal-form": lambda case: to_wire(change(case["edits"])),
    "rebase": rebased,
}

if __name__ == "__main__":
    folder, carets = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    files = [folder / f"{kind}.json" for kind in ANSWERS if kind != "carets"] + [carets]
    passed = 0
    for fixture in (json.loads(file.read_text()) for file in files):
        for case in fixture["cases"]:
            # What is wrong with an edit, the server says.
            if "refused" not in case:
                case = units(case)
                answer = ANSWERS[fixture["kind"]](case)
                assert answer == case["becomes"], f"{case['about']}: {answer}, not {case['becomes']}"
                passed += 1
    print(f"{passed} cases")
