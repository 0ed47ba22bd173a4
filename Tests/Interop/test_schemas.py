"""The JSON Schemas in docs/schemas, against outputs of the program and recordings."""

import json

import jsonschema
import pytest

from processes import ROOT, shell, wsx

SCHEMAS = {path.stem: json.loads(path.read_text()) for path in (ROOT / "docs/schemas").glob("*.json")}


def check(name, lines):
    validator = jsonschema.Draft202012Validator(SCHEMAS[name])
    documents = [json.loads(line) for line in lines]
    for document in documents:
        validator.validate(document)
    return documents


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_valid_and_has_a_version(name):
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[name])
    assert SCHEMAS[name]["version"] == 1


def test_there_is_a_schema_for_each_kind_of_output():
    assert set(SCHEMAS) == {"events", "scenario", "bench-results", "help", "check"}


@pytest.mark.parametrize("arguments, types", [
    (["-1", "echo:", "hi"], {"open", "message", "close"}),
    (["--encode", "cbor", "--decode", "cbor", "-1", "echo:", "[1]"], {"open", "message", "close"}),
    (["--count", "2", "--timeout", "100ms", "echo:", "hi"], {"open", "message", "close", "error"}),
    (["ws://127.0.0.1:1/"], {"error"}),
])
def test_events_have_the_form_of_the_schema(arguments, types):
    assert {event["type"] for event in check("events", wsx("connect", "--json", *arguments).lines)} == types


def test_events_of_a_server_have_the_form_of_the_schema(tmp_path):
    result = shell(f'"$WSX" --reconnect=20 -1 ws+unix:{tmp_path}/s hi >&2 & "$WSX" listen --echo --once --json unix:{tmp_path}/s')
    assert [event["type"] for event in check("events", result.lines)] == ["listening", "open", "ping", "message", "close"]


def test_a_recording_has_the_form_of_a_scenario_and_of_events_and_can_be_played(tmp_path):
    path = tmp_path / "session.jsonl"
    assert wsx("-1", "--record", path, "echo:", "hi").status == 0
    check("scenario", path.read_text().splitlines())
    assert wsx("--scenario", path, "echo:").status == 0


@pytest.mark.parametrize("step", [
    {"type": "message", "data": "hi"}, {"type": "message", "direction": "out"}, {"type": "pause"}, {"type": "bogus"}],
    ids=json.dumps)
def test_an_invalid_step_fits_neither_the_schema_nor_the_program(step, tmp_path):
    path = tmp_path / "steps.jsonl"
    path.write_text(json.dumps(step) + "\n")
    assert not jsonschema.Draft202012Validator(SCHEMAS["scenario"]).is_valid(step)
    assert wsx("--scenario", path, "echo:").status == 2


@pytest.mark.parametrize("format", ["json", "jsonl"])
@pytest.mark.parametrize("mode", ["echo", "send", "receive", "connect"])
def test_results_have_the_form_of_the_schema(mode, format):
    result = wsx("bench", "--mode", mode, "-d", "200ms", "-c", "2", "--output", format, "echo:")
    assert check("bench-results", result.lines)[-1]["mode"] == mode


def test_the_option_table_has_the_form_of_the_schema():
    table, = check("help", wsx("help", "--json").lines)
    assert [command["name"] for command in table["commands"]] == [
        "connect", "listen", "relay", "bench", "bench merge", "curl", "check", "convert", "help", "completions"]


def test_a_usage_error_is_json_if_the_command_line_asks_for_json():
    result = wsx("connect", "--json", "--conut", "1", "echo:")
    assert (result.status, json.loads(result.err)) == (2, {
        "error": "unknown option '--conut'; did you mean '--count'?", "option": "--conut", "suggestion": "--count",
        "status": 2})
