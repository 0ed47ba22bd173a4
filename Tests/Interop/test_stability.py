"""docs/STABILITY.md: what an earlier version had in its interface is still there. Tests/Interop/members.json has it."""

import json

import pytest

import schema_members
from processes import ROOT, wsx

EARLIER = json.loads((ROOT / "Tests/Interop/members.json").read_text())
CHANGELOG = (ROOT / "CHANGELOG.md").read_text()


def test_json_outputs_have_the_members_that_they_had():
    now = schema_members.all_members()
    found = {
        f"{output}: {path} {change}" for output, before in EARLIER["outputs"].items()
        for path, change in schema_members.changes(before, now[output])}
    intended = EARLIER["differences"]
    assert found == intended.keys(), "an intended difference needs a reason in members.json, and one in CHANGELOG.md"
    assert all(reason in CHANGELOG for reason in intended.values())


@pytest.mark.parametrize("before, now, change", [
    ("integer!", None, "is gone"),
    ("integer!", "integer", "is no longer always there"),
    ("integer!", "integer|null!", "may now be integer|null"),
    ("integer", "string", "may now be string"),
    ("'in'|'out'", "'in'", "no longer has the value 'out'"),
    ("'in'|'out'", "string", "no longer has the value 'in', 'out'"),
    ("number|null", "number!", None),
    ("'in'", "'in'|'out'", None),
    (None, "integer", None),
])
def test_a_change_that_programs_notice_is_found(before, now, change):
    found = list(schema_members.changes(
        {"x": before} if before else {}, {"x": now} if now else {}))
    assert found == ([("x", change)] if change else [])


def test_every_option_is_still_there():
    names = schema_members.option_names(json.loads(wsx("help", "--json").out))
    for command, options in EARLIER["options"].items():
        assert set(options.split()) <= names[command]


@pytest.mark.parametrize("name", EARLIER["slash_commands"].split())
def test_every_slash_command_is_still_there(name):
    result = wsx("help", f"/{name}")
    assert (result.status, result.out.startswith(f"/{name}".encode())) == (0, True), result
