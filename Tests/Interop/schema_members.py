#!/usr/bin/env python3
"""The members of JSON outputs by their paths, from the schemas in docs/schemas, to compare those of two versions.

    python3 Tests/Interop/schema_members.py BINARY

writes those of the current version, its options, and its slash commands to Tests/Interop/members.json. Do so after a
release; see docs/howto/make-a-release.md.

A member is described by its type, or by the words that it may be, with an exclamation mark if it is always there:
`integer!`, `number|null`, `'in'|'out'!`.
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "docs/schemas"
EVENTS = "message", "ping", "pong", "open", "listening", "close", "error"


def described(schema, is_required):
    if "$ref" in schema:
        types = [schema["$ref"].removeprefix("#/$defs/")]
    elif "enum" in schema:
        types = [f"'{word}'" for word in sorted(schema["enum"])]
    elif "const" in schema:
        types = [json.dumps(schema["const"])]
    else:
        types = schema.get("type", [])
        types = [types] if isinstance(types, str) else types
    return "|".join(types) + "!" * is_required


def members(schema, path=""):
    """Yields the path and the description of each member. Definitions have paths of their own."""
    if "else" in schema:
        schema = schema | schema["else"] | {"properties": schema.get("properties", {}) | schema["else"].get("properties", {})}
    required = schema.get("required", [])
    known = {name: schema.get("additionalProperties", {}) for name in required} | schema.get("properties", {})
    for name, member in known.items():
        yield f"{path}{name}", described(member, name in required)
        yield from members(member, f"{path}{name}.")
    if "items" in schema:
        yield from members(schema["items"], f"{path}[].")
    for name, definition in schema.get("$defs", {}).items():
        yield from members(definition, f"{name}.")


def event_members(schema, event):
    """The members of an event: those of all events, and those that its type adds."""
    parts = [schema] + [
        part["then"] for part in schema["allOf"] if event in part["if"]["properties"]["type"]["enum"]]
    merged = {
        "required": [name for part in parts for name in part.get("required", [])],
        "properties": {name: value for part in parts for name, value in part.get("properties", {}).items()}}
    return dict(members(merged))


def all_members():
    schemas = {path.stem: json.loads(path.read_text()) for path in SCHEMAS.glob("*.json")}
    outputs = {f"event {event}": event_members(schemas["events"], event) for event in EVENTS}
    return outputs | {name: dict(members(schemas[name])) for name in ("bench-results", "check", "help")}


def changes(before, now):
    """Yields what a program that reads the outputs of `before` could miss or misunderstand now."""
    for path, old in before.items():
        new = now.get(path)
        if new is None:
            yield path, "is gone"
            continue
        if old.endswith("!") and not new.endswith("!"):
            yield path, "is no longer always there"
        old_types, new_types = (set(text.removesuffix("!").split("|")) for text in (old, new))
        if old.startswith("'"):
            if lost := old_types - new_types:
                yield path, f"no longer has the value {', '.join(sorted(lost))}"
        elif not new_types <= old_types and old_types != {""}:
            yield path, f"may now be {new.removesuffix('!')}"


def option_names(table):
    """The names of each command's options, from the JSON of `wsx help --json`."""
    return {command["name"]: {
        name for option in command["options"]
        for name in (option["name"], option.get("short"), *option.get("aliases", [])) if name}
        for command in table["commands"]}


def main():
    table = json.loads(subprocess.run([sys.argv[1], "help", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    manual = (ROOT / "man/wsx-prompt.7").read_text().replace("\\-", "-")
    (ROOT / "Tests/Interop/members.json").write_text(json.dumps({
        "version": table["program_version"],
        "options": {command: " ".join(sorted(names)) for command, names in option_names(table).items()},
        "slash_commands": " ".join(sorted(set(re.findall(r"^\.TP\n\\fB/([a-z-]+)", manual, re.MULTILINE)))),
        "outputs": all_members(), "differences": {}}, indent=1) + "\n")


if __name__ == "__main__":
    main()
