"""Habits of other tools get one line that says what to type, or do what the user expects."""

import json

import pytest

from processes import assert_fails, wsx
from terminal import Screen

# All options of websocat 1.13 and the crypto options of 1.14, from `websocat --help=long`. The server's are the last two
# lines. Options that wsx has, too, are not here.
WEBSOCAT = """
--async-stdio --autoreconnect-delay-millis --base64 --base64-text --basic-auth --binary-prefix --buffer-size -B
--byte-to-exit-on --client-pkcs12-der --client-pkcs12-passwd --close-status-code --compress-deflate --compress-gzip
--compress-zlib --crypto-key --crypto-reverse --dump-spec --exec-args --exec-exit-on-disconnect
--exec-sighup-on-stdin-close --exec-sighup-on-zero-msg --exit-on-eof -E --foreachmsg-wait-read --header-to-env
--inhibit-pongs --jsonrpc --jsonrpc-omit-jsonrpc --just-generate-accept --just-generate-key
--lengthprefixed-little-endian --lengthprefixed-nbytes --lengthprefixed-skip-read-direction
--lengthprefixed-skip-write-direction --linemode-strip-newlines --max-messages --max-messages-rev --max-sent-pings
--max-ws-frame-length --max-ws-message-length --no-async-stdio --no-close --no-exit-on-zeromsg --no-fixups --no-line
--null-terminated -0 --one-message --ping-interval --ping-timeout --preamble -p --preamble-reverse --print-ping-rtts
--prometheus --queue-len --request-header --request-method -X --request-uri --reuser-send-zero-msg-on-disconnect
--set-environment -e --socks5 --socks5-bind-script --socks5-destination --stdout-announce-listening-ports --strict -S
--text-prefix -t --timestamp-monotonic --tls-domain --udp-broadcast --udp-multicast --udp-multicast-iface-v4
--udp-multicast-iface-v6 --udp-multicast-loop --udp-oneshot --udp-reuseaddr --udp-ttl --uncompress-deflate
--uncompress-gzip --uncompress-zlib --unidirectional --unidirectional-reverse -U --unlink --websocket-ignore-zeromsg
--websocket-version --ws-c-uri
--accept-from-fd --conncap --oneshot --pkcs12-der --pkcs12-passwd --restrict-uri --server-header --server-mode
--server-protocol --static-file -F
""".split()


@pytest.mark.parametrize("command", ["connect", "listen"])
def test_each_option_of_websocat_gets_a_remedy(command):
    for option in WEBSOCAT:
        result = wsx(command, option)
        assert_fails(result, 2, f"unknown option '{option}'; ")
        assert "lists the options" not in result.err and "did you mean" not in result.err, result


LINES = [
    # Addresses.
    (["ws:localhost:8080/x"], "write ws://localhost:8080/x"),
    (["connect", "ws//h"], "write ws://h"), (["TCP:h:80"], "write ws://h:80"), (["OPENSSL:h:443"], "write wss://h:443"),
    (["TCP-LISTEN:8080"], "'wsx listen 8080'"), (["unix:/run/s"], "--unix-socket /run/s"),
    (["listen", "unix-l:/run/s"], "write unix:/run/s"), ([""], "the URL is empty"),
    (["connect", ""], "the URL is empty"), (["localhost", "8080"], "write localhost:8080"),
    (["listen", "127.0.0.1", "8080"], "write 127.0.0.1:8080"), (["bench", "h", "8080"], "write h:8080"),
    (["relay", "8080", "h", "9090"], "write h:9090"), (["relay", "8080", "9090"], "write :9090 for a port on this machine"),
    (["relay", "ws://h", "8080"], "write [ADDRESS:]PORT before it"),
    (["ws-l:127.0.0.1:80", "tcp:127.0.0.1:90"], "'wsx listen --exec 127.0.0.1:80 -- nc 127.0.0.1 90'"),
    (["-E", "-b", "tcp-l:127.0.0.1:12", "ws://h"], "wsx listens for WebSocket clients only; use 'wsx relay 127.0.0.1:12 URL'"),
    (["ws-l:0.0.0.0:80", "mirror:"], "'wsx listen --echo 0.0.0.0:80'"), (["listen", "mirror:"], "use --echo"),
    (["relay", "mirror:", "ws://h"], "write [ADDRESS:]PORT before the URL"), (["relay", "0", "ws-l:80"], "the URL of a server"),
    # Options.
    (["ws://h", "-n"], "use --insecure (-k)"), (["-4nv", "h", "80"], "omit -n of nc"), (["-uU", "ws://h"], "--no-stdin"),
    (["relay", "-nr", "f"], "'wsx convert IN OUT'"), (["-q", "1", "ws://h"], "--linger 1"),
    (["-h", "h", "-p", "54"], "write ws://h:54"), (["-v:x", "echo:"], "'-v' takes no value"),
    (["connect", "GET", "ws://h"], "omit 'GET'"),
    (["connect", "--raw", "x", "ws://h"], "put the message after the URL"), (["connect", "host=h port=80"], "write HOST:PORT"),
    (["relay", "--upstream-auth", "a:b", "0", ":1"], "--proxy http://"), (["convert", "-nr", "f"], "'wsx convert IN OUT'"),
    (["--unix-socket", "/run/s", "echo:"], "a URL such as ws://localhost/"),
    (["-v", "a=b", "ws://h"], "{{env:NAME}}"), (["-L", "f", "ws://h"], "--record FILE"),
    (["-p", "13", "ws://h"], "version is always 13"), (["-n", "ws://h"], "omit websocat's -n"),
    (["ws://h", "sh-c:jq ."], "--exec URL -- PROGRAM"), (["ws://h", "ws-c:unix:/x"], "write one URL"),
    (["relay", "--set", "websocket=true", "0", ":1"], "--param NAME=VALUE"),
    (["bench", "-o", "json=f", "ws://h"], "--output json"), (["-N", "ws://h"], "'wsx curl'"),
    (["-s", "::1", "echo:"], "'wsx listen [::1]:PORT'"), (["echo:", "WS://h"], "-x to send it"),
    (["POST", "ws://h", "a=b"], "'wsx connect URL'"),
    (["connect", "-m", "5", "echo:"], "--timeout DURATION"), (["-v"], "'wsx --version'"),
    (["connect", "--print=hb", "echo:"], "--verbose"), (["connect", "--fail-with-body", "echo:"], "omit it"),
    (["connect", "-bE", "echo:"], "--binary and --linger 0"), (["bench", "-w", "2", "echo:"], "--drain DURATION"),
    (["connect", "--raw", "echo:"], "--output raw"), (["connect", "--out", "f", "echo:"], "> FILE"),
    (["bench", "--out", "json=f", "echo:"], "--output json"), (["listen", "-lk", "8080"], "write just the port"),
    (["-lk", "8080"], "'wsx listen PORT'"), (["-lvnp", "8080"], "'wsx listen PORT'"),
    (["connect", "--script", "f", "echo:"], "--scenario FILE"), (["connect", "--follow", "echo:"], "--location"),
    (["connect", "--tail", "echo:"], "as they arrive"), (["connect", "--encoding", "utf-8", "echo:"], "UTF-8"),
    (["connect", "--tls1.2", "echo:"], "--tls-min 1.2"), (["connect", "--verify=no", "echo:"], "--insecure"),
    (["convert", "a.har", "-o", "b"], "'wsx convert IN OUT'"), (["relay", "--set", "x", "0", ":1"], "--param NAME=VALUE"),
    (["relay", "--modify-body", "x", "0", ":1"], "--rewrite RULE"), (["relay", "-s", "a.py", "0", ":1"], "--rewrite RULE"),
    (["connect", "--set", "a=b", "echo:"], "--param NAME=VALUE"), (["connect", "-timeout", "5", "echo:"], "'--timeout'"),
    (["connect", "-vus", "5", "echo:"], "'wsx bench'"), (["connect", "-auth=me:geheim", "echo:"], "'--auth'"),
    (["connect", "--timeout:5", "echo:"], "'--timeout' needs a value: --timeout DURATION"),
    (["connect", "--auth:me:geheim", "echo:"], "'--auth' needs a value"), (["connect", "tcp:me:geheim@h:1"], "ws://•••@h:1"), (["connect", "--retry-max-time", "5", "echo:"], "omit it"),
    (["bench", "--vu", "5", "echo:"], "--connections N"), (["connect", "--max-times", "5", "echo:"], "'--max-time'"),
    (["connect", "-R", "echo:"], "no effect on a WebSocket"),
    (["connect", "-s", "10.0.0.1", "echo:"], "--source-ip 10.0.0.1"), (["connect", "--conncap", "5", "echo:"], "in 'wsx listen', use --max-connections N"),
    (["bench", "-s", "5s:10", "echo:"], "--stages 10@5s"),
    (["listen", "--uncompress-gzip", "8080"], "--decode"), (["relay", "--proxyauth", "a:b", "0"], "--proxy-login"),
    (["relay", "--web-port", "1", "0"], "--page PORT"), (["relay", "--allow-hosts", "h", "0"], "--intercept HOST"),
    (["check", "--ca-file", "f", "echo:"], "use --ca PATH"),
    # Operands and commands.
    (["listen", "8080", "cat"], "'wsx listen --exec"), (["listen", "8080", "ws://h"], "'wsx relay"),
    (["bench", "echo:", "hello"], "--message TEXT"), (["bench", "echo:", "ws://h"], "one URL"),
    (["mitmproxy", "-p", "8080"], "'wsx relay"), (["wscat", "-c", "ws://h"], "'wsx connect URL'"),
    (["connect", "echo:", "--", "ls"], "--exec"), (["connect", "echo:", "--", "-1", "ls"], "-x"),
    (["relay", "0", ":1", "--", "ls"], "omit the URL"), (["relay", "--", "8080", ":1"], "needs [ADDRESS:]PORT"),
    (["connect", "echo:", "ws://me:geheim@h"], "-x to send it"),
    (["connect", "--request", "POST", "ws://h"], "the URL is 'POST'"), (["psql", "-h", "h"], "'wsx connect URL'"), (["connect", "echo:", "hi", "wss://h"], "-x to send it"),
    # Values that would have no effect.
    (["connect", "--first-message", "exec:id", "echo:"], '"$(COMMAND)"'),
    (["connect", "--first-message", "env:TOKEN", "echo:"], "'{{env:TOKEN}}'"),
    (["connect", "-H", "Authorization:", "echo:"], "'Authorization' has no value"),
    (["connect", "-H", "authorization: Bearer ", "echo:"], "has no value"), (["bench", "-H", "Cookie: ", "echo:"], "'Cookie'"),
    (["connect", "-H", "exec:echo Cookie:", "echo:"], "'Cookie' has no value"),
    (["bench", "--report", "x.pdf", "echo:"], "report.html"),
    # Versions of protocols.
    (["--protocol", "socket.io", ":1/?EIO=2"], "EIO=2"), (["--protocol", "auto", ":1/?EIO=2&transport=websocket"], "EIO=2"),
    (["--protocol", "phoenix", ":1/socket?vsn=1.0.0"], "vsn=1.0.0"), (["bench", "--mode", "request", "--protocol",
      "phoenix", "--message", "a b", ":1/?vsn=1.0.0"], "vsn=1.0.0"),
    (["--protocol", "signalr", ":1/chat?negotiateVersion=0"], "negotiateVersion=0")]


def test_each_mistake_gets_one_line_with_its_remedy():
    for arguments, words in LINES:
        result = wsx(*arguments)
        assert_fails(result, 2, words)
        assert "geheim" not in result.err, result


def test_words_after_the_end_of_options_are_messages_if_they_begin_with_a_hyphen():
    for arguments in [["connect", "-1", "echo:", "--", "-hello"], ["connect", "-1", "--", "echo:", "-hello"]]:
        result = wsx(*arguments)
        assert (result.status, result.out) == (0, b"-hello\n"), result


def test_a_number_after_a_profile_whose_url_is_a_host_is_a_message(tmp_path):
    (tmp_path / "config").write_text("[p]\nurl = localhost\n")
    result = wsx("@p", "1", "--print-curl", env={"WSX_CONFIG": str(tmp_path / "config"), "HOME": str(tmp_path)})
    assert result.status == 0, result


def test_usage_errors_with_json_are_json():
    for arguments in [
        ["connect", "--json", "--bogus"], ["--bogus", "--json"], ["connect", "--output=json", "ws:h"],
        ["connect", "--json", ""], ["bogus", "--json"], ["listen", "--json"], ["listen", "--json", "http"],
        ["connect", "--json", "-b", "/nonexistent", "echo:"], ["help", "bogus", "--json"],
        ["connect", "@bogus", "--json"], ["connect", "--json", "--scenario", "/nonexistent", "echo:"],
        ["bench", "--json", "-f", "/nonexistent", "echo:"], ["bench", "merge", "/nonexistent", "--json"],
        ["relay", "--json", "0", "echo:"], ["connect", "--json", "--binary", "--encode", "cbor", "echo:", "{"],
        ["connect", "--json", "--protocol", "mqtt", "echo:", "bogus"], ["curl", ":1", "--", "--json", "--bogus"],
        ["connect", "--json", b"\xff"], ["connect", "--json", "echo:", "--", "ls"], ["convert", "--json"],
        ["connect", "--json", "-a", "me", "echo:"]]:
        result = wsx(*arguments)
        assert result.status == 2 and len(result.error_lines) == 1, result
        error = json.loads(result.err)
        assert error["error"] and error["status"] == 2, result


def test_an_error_in_the_configuration_with_json_is_json(tmp_path):
    path = tmp_path / "config"
    for text in ["bogus = 1", "[p]\nurl = ws:h", "[p"]:
        path.write_text(text)
        result = wsx("connect", "@p", "--json", env={"WSX_CONFIG": str(path), "HOME": str(tmp_path)})
        assert (result.status, json.loads(result.err)["status"]) == (2, 2), result


@pytest.mark.parametrize("word, words", [
    ("reconnect", "STAYING CONNECTED"), ("compression", "permessage-deflate"), ("regex", "PCRE2"),
    ("templates", "PLACEHOLDERS"), ("signals", "SIGTERM")])
def test_help_knows_the_words_that_users_look_for(word, words):
    result = wsx("help", word)
    assert result.status == 0 and words in result.out.decode(), result


def test_a_message_that_a_shell_or_habit_has_changed_gets_a_notice_on_a_terminal(tmp_path):
    (tmp_path / "m.json").write_text("{}")
    lines = [("@m.json", "--file m.json sends the file"), ("name=value", '\\{"name":'), ("cmd:id", "--exec URL"),
             ('{"a":1}', "quote it for the shell")]
    with Screen() as screen:
        screen.enter(f"cd {tmp_path}")
        for line, notice in lines:
            screen.enter(f"clear; $WSX -1 echo: {line}")
            screen.wait_for(notice)
        screen.enter("clear; $WSX -1 echo: @m.json | cat; echo status $?")
        screen.wait_for("^@m.json\nstatus 0")


def test_commands_of_other_prompts_leave_or_say_how():
    with Screen() as screen:
        for command in ["/exit", "/q"]:
            screen.enter("clear; $WSX echo:; echo status $?")
            screen.wait_for("^>$")
            screen.enter(command)
            screen.wait_for("^status 0")
        screen.enter("clear; $WSX echo:; echo status $?")
        screen.wait_for("^>$")
        for line, words in [
            ("/h", "/send TEXT"), ("/clear", "Ctrl-L clears the screen"), ("exit", "'exit' is a message here; /quit or Ctrl-D"),
            ("quit", "'quit' is a message here"),
            ("\\timing", "commands begin with a slash"), ("/disconnect", "did you mean '/close'")]:
            screen.enter(line)
            screen.wait_for(words)
        screen.enter("/exit")
        screen.wait_for("^status 0")
        screen.enter("clear; $WSX listen 0; echo status $?")
        screen.wait_for("^>$")
        for line, words in [
            ("/kick 1", "write '@1 /close'"), ("/close 1 4000", "write '@1 /close 4000'"), ("/to 1 hi", "write '@1 hi'")]:
            screen.enter(line)
            screen.wait_for(words)
        screen.enter("/q")
        screen.wait_for("^status 0")
