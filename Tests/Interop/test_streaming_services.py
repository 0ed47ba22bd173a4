"""The files of docs/protocols for services that stream their answers, with stand-ins written from their documentation."""

import pytest

from processes import assert_fails, wsx
from protocol_files import DeepgramServer, GeminiLiveServer, OpenAIRealtimeServer
from test_bench import bench, errors, faults
from test_scenarios import written

ENDS = {OpenAIRealtimeServer: "^response.done ", GeminiLiveServer: "json:.serverContent.turnComplete==true"}


@pytest.mark.parametrize("make_server", ENDS, ids=["openai", "gemini"])
def test_the_answer_of_a_model_is_measured_as_a_stream(make_server):
    with make_server() as server:
        result, results = bench(
            server.url, *server.options, "--mode", "request", "-m", '"one two three"', "--reply-end", ENDS[make_server],
            "-c", "2", "-n", "8")
    assert (result.status, faults(results), errors(results)) == (0, {}, {})
    # The words, and the messages of the end.
    assert results["stream"]["messages"]["min"] == results["stream"]["messages"]["max"]
    assert results["stream"]["messages"]["min"] == (4 if make_server is OpenAIRealtimeServer else 5)


def test_prompts_of_openai_may_overlap():
    with OpenAIRealtimeServer() as server:
        result, results = bench(
            server.url, *server.options, "--mode", "request", "-m", '"one two"', "--reply-end", "^response.done ",
            "-c", "1", "-n", "20", "--in-flight", "4")
    assert (result.status, faults(results)) == (0, {})
    assert results["stream"]["messages"]["sum"] == 3 * 20


def test_a_failed_response_is_mismatched():
    with OpenAIRealtimeServer() as server:
        result, results = bench(
            server.url, *server.options, "--mode", "request", "-m", '"fail"', "--reply-end", "^response.done ",
            "-c", "1", "-n", "2")
    assert (result.status, faults(results)) == (7, {"mismatched": 2})


def test_one_prompt_has_one_reply():
    with OpenAIRealtimeServer() as server:
        result = wsx("connect", *server.options, "-1", server.url, '"hello there"')
    assert (result.status, result.err) == (0, "")
    assert '"status":"completed"' in result.lines[-1]


def test_words_are_shown_as_they_arrive():
    with GeminiLiveServer() as server:
        end = "json:.serverContent.turnComplete"
        result = wsx("connect", *server.options, "--until", end, "--linger", "forever", server.url, '"hello there"')
    assert result.status == 0
    assert result.lines[:2] == ["hello", "there"]


def test_an_unknown_model_is_refused():
    with GeminiLiveServer() as server:
        server.parameters = ("model=models/other",)
        result = wsx("connect", *server.options, "-1", server.url, '"hello"')
    # Parameters may be secrets.
    assert_fails(result, 4, "••• is not found for API version v1beta")


def test_speech_is_measured_by_a_scenario(tmp_path):
    path = written(tmp_path / "speak.jsonl", [
        {"type": "message", "direction": "out", "data": '{"type":"Speak","text":"one two three"}'},
        {"type": "message", "direction": "out", "data": '{"type":"Flush"}'},
        {"type": "message", "direction": "in", "replyEnd": "^Flushed ", "name": "speech"}])
    with DeepgramServer() as server:
        result, results = bench(server.url, *server.options, "--scenario", path, "-c", "2", "-n", "6")
        assert (result.status, faults(results), errors(results)) == (0, {}, {})
        speech, = results["steps"]
        assert speech["stream"]["messages"]["sum"] == 4 * 6
        result = wsx("connect", *server.options, "-1", server.url, '{"type":"No"}')
    assert result.status != 0 and "unknown message No" in result.err


def test_a_transcript_is_measured_by_a_scenario(tmp_path):
    path = written(tmp_path / "listen.jsonl", [
        {"type": "message", "direction": "out", "base64": "AAAAAAAAAAA="},
        {"type": "message", "direction": "out", "data": '{"type":"Finalize"}'},
        {"type": "message", "direction": "in", "match": {"/type": "Results"},
         "replyEnd": "json:.from_finalize==true", "name": "text"}])
    with DeepgramServer() as server:
        result, results = bench(server.url, "--scenario", path, "-c", "2", "-n", "6")
    assert result.status == 0
    text, = results["steps"]
    assert text["stream"]["messages"]["sum"] == 2 * 6
