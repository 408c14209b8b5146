"""Reads lines `client MESSAGE` or `server MESSAGE`, and prints for each whether the schema accepts the message."""
import json
import sys

from jsonschema import Draft202012Validator

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
Draft202012Validator.check_schema(schema)


def validator(kind):
    return Draft202012Validator({"$ref": "#/$defs/" + kind, "$defs": schema["$defs"]})


for line in sys.stdin.buffer:
    side, text = line.decode("utf-8").split(" ", 1)
    message = json.loads(text)
    # A message is checked against its own type only, so that a refusal is not hidden by another type.
    names = [entry["$ref"].split("/")[-1] for entry in schema["$defs"]["from" + side.capitalize()]["anyOf"]]
    accepts = message["type"] in names and validator(message["type"]).is_valid(message)
    print("accepted" if accepts else "refused")
