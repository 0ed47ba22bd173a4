import CommandLine
import Testing

@testable import UserInterface
@testable import wsx

/// The errors shown for wrong command lines: one line with the problem, the reason, and a remedy.
@Suite struct UsageErrorTests {
    @Test(
        "Each mistake is reported on one line with its remedy",
        arguments: [
            ([], "missing command; try 'wsx connect echo:' or 'wsx --help'"),
            (["conect"], "unknown command 'conect'; did you mean 'wsx connect'?"),
            (["serve"], "unknown command 'serve'; use 'wsx listen PORT'"),
            (["-v", "hi"], "'hi' is neither a command nor URL; write URL before it"),
            (["-q", "conect"], "unknown command 'conect'; did you mean 'wsx connect'?"),
            (["version"], "unknown command 'version'; use 'wsx --version'"),
            (["GET", "ws://h"], "unknown command 'GET'; use 'wsx connect URL'"),
            (["ws", "h:80"], "unknown command 'ws'; use 'wsx connect ws://HOST'"),
            (["8080"], "unknown command '8080'; use 'wsx connect :8080'"),
            (["{}", "ws://h"], "unknown command '{}'; use 'wsx connect URL MESSAGE'"),
            (["-version"], "unknown option '-version'; did you mean '--version'?"),
            (["connect", "-verbose", "echo:"], "unknown option '-verbose'; did you mean '--verbose'?"),
            (["connect", "-quiet", "echo:"], "unknown option '-quiet'; did you mean '--quiet'?"),
            (["connect", "echo:", "-5"], "unknown option '-5'; write a message that begins with a hyphen after --"),
            (["connect", "echo:", "-12"], "unknown option '-12'; write a message that begins with a hyphen after --"),
            (
                ["echo:", "-c", "jar.txt"],
                "unknown option '-c'; write just the URL, and a message after it, or use --cookie-jar FILE to save cookies"
            ),
            (
                ["-b", "jar.txt", "-c", "jar.txt", "wss://h"],
                "unknown option '-c'; write just the URL, and a message after it, or use --cookie-jar FILE to save cookies"
            ),
            (["bench", "echo:", "--think-time", "1s"], "unknown option '--think-time'; use --think DURATION"),
            (["bench", "echo:", "--delay", "1s"], "unknown option '--delay'; use --think DURATION"),
            (["connect", "-?"], "unknown option '-?'; use --help"),
            (["connect", "echo:", "--ping"], "unknown option '--ping'; use --heartbeat DURATION"),
            (
                ["bench", "echo:", "-e", "A=b"],
                "unknown option '-e'; use {{env:NAME}} in the URL, a header, or a message"
            ),
            (["send", "hi"], "unknown command 'send'; use 'wsx connect URL MESSAGE'"),
            (
                ["connect", "echo:", "--write-out", "x"],
                "unknown option '--write-out'; use --output json for the status and the timings"
            ),
            (["help", "bogus"], "unknown topic 'bogus'; 'wsx help' lists the topics"),
            (["conect", "-v", "ws://h/p"], "unknown command 'conect'; did you mean 'wsx connect'?"),
            (["-q"], "'wsx connect' needs URL; try 'wsx connect echo:'"),
            (["-q", "-c"], "'-c' needs a value: -c URL"),
            (["--listen"], "'--listen' needs a value: --listen PORT"),
            (["-l", "8080", "-n5"], "'-n' is an option of 'wsx connect' and 'wsx bench', not of this command"),
            (["connect", "--outptu"], "unknown option '--outptu'; did you mean '--output'?"),
            (["connect", "--outp", "raw"], "unknown option '--outp'; did you mean '--output'?"),
            (["connect", "--quite=1"], "unknown option '--quite'; did you mean '--quiet'?"),
            (["connect", "-linger", "1"], "unknown option '-linger'; did you mean '--linger'?"),
            (["connect", "-Z"], "unknown option '-Z'; omit it: it has no effect on a WebSocket"),
            (["--bananas"], "unknown option '--bananas'; 'wsx connect -h' lists the options"),
            (["connect", "--echo"], "'--echo' is an option of 'wsx listen', not of this command"),
            (["listen", "-n5"], "'-n' is an option of 'wsx connect' and 'wsx bench', not of this command"),
            (["connect", "--version"], "'--version' is an option of 'wsx', not of this command"),
            (["-v", "connect"], "'-v' must follow the command; write 'wsx connect -v ...'"),
            (["connect", "echo:", "--linger"], "'--linger' needs a value: --linger DURATION"),
            (["connect", "echo:", "-qx"], "'-x' needs a value: -x MESSAGE"),
            (["listen", "--echo=yes"], "'--echo' takes no value; omit the text after it"),
            (["connect"], "'wsx connect' needs URL; try 'wsx connect echo:'"),
            (["completions"], "'wsx completions' needs SHELL; try 'wsx completions bash'"),
            (["listen", "1", "2"], "unexpected argument '2'; 'wsx listen -h' shows the usage"),
            (["listen", "--exec", "8080", "--"], "'--exec' needs a program; end the line with -- PROGRAM [ARG...]"),
            (["listen", "--exec", "8080", "cat"], "'--exec' needs a program; end the line with -- PROGRAM [ARG...]"),
            (
                ["listen", "8080", "--", "cat", "-n"],
                "unexpected argument 'cat' after '--'; '--exec' runs it as a program"
            ),
            (
                ["listen", "8080", "x", "--", "cat"],
                "unexpected argument 'x'; use 'wsx listen --exec [ADDRESS:]PORT -- PROGRAM' to run it as a program"
            ),
            (
                ["listen", "8080", "--max-processes", "1"],
                "'--max-processes' requires '--exec' or '--answer'; add one of them, or omit '--max-processes'"
            ),
            (
                ["listen", "8080", "--exec", "--echo", "--", "p"],
                "'--exec' cannot be used with '--echo'; omit one of them"
            ),
            (
                ["listen", "8080", "--echo", "--output", "raw"],
                "'--echo' cannot be used with '--output=raw'; omit one of them"
            ),
            (
                ["listen", "8080", "--compress-no-context", "--compress=off"],
                "'--compress-no-context' cannot be used with '--compress=off'; omit one of them"
            ),
            (
                ["listen", "8080", "--path", "/a", "--path=/b"],
                "'--path' takes one value, but got '/a' and '/b'; omit one of them"
            ),
            (
                ["listen", "8080", "--client-ca", "f"],
                "'--client-ca' requires '--tls-cert' or '--tls-self-signed'; add one of them, or omit '--client-ca'"
            ),
            (
                ["listen", "8080", "--passphrase", "x"],
                "'--passphrase' requires '--tls-cert'; add it, or omit '--passphrase'"
            ),
            (["connect", "echo:", "--no-stdin", "-i"], "'-i' cannot be used with '--no-stdin'; omit one of them"),
            (
                ["connect", "echo:", "--heartbeat-misses", "2"],
                "'--heartbeat-misses' requires '--heartbeat'; add it, or omit '--heartbeat-misses'"
            ),
            (
                ["connect", "echo:", "--heartbeat-message=x"],
                "'--heartbeat-message' requires '--heartbeat'; add it, or omit '--heartbeat-message'"
            ),
            (
                ["connect", "echo:", "--reconnect-delay=1s"],
                "'--reconnect-delay' requires '--reconnect', '--reconnect-on', '--reconnect-when', or '--reconnect-url'; add one of them, or omit '--reconnect-delay'"
            ),
            (
                ["bench", "echo:", "--protocol=mqtt"],
                "'--protocol' requires '--mode=request', '--mode=receive', '--mode=broadcast', '--mode=idle', or '--scenario'; add one of them, or omit '--protocol'"
            ),
            (
                ["bench", "echo:", "--heartbeat=1"],
                "'--heartbeat' requires '--mode=idle' or '--heartbeat-message'; add one of them, or omit '--heartbeat'"
            ),
            (
                ["connect", "echo:", "--reply-timeout=1"],
                "'--reply-timeout' requires '--request', '--correlate', '--json-rpc', or '--protocol'; add one of them, or omit '--reply-timeout'"
            ),
        ] as [([String], String)])
    func message(words: [String], expected: String) {
        #expect(Self.message(words) == "wsx: " + expected)
    }

    @Test(
        "A bad value is shown with the expected form",
        arguments: [
            ("--linger=soon", "'soon' for '--linger': expected a duration such as 250ms, 5s, or 2m, or forever"),
            ("--timeout=", "'' for '--timeout': expected a duration such as 250ms, 5s, or 2m"),
            ("--timeout=0", "'0' for '--timeout': expected more than 0, up to 1000000000s"),
            ("--close-timeout=1000000001", "'1000000001' for '--close-timeout': expected at most 1000000000s"),
            ("--fragment-size=big", "'big' for '--fragment-size': expected a size in bytes such as 512, 64k, or 16M"),
            ("--fragment-size=0", "'0' for '--fragment-size': expected a number from 1 to 1099511627776"),
            (
                "--until=a(",
                "'a(' for '--until': missing closing parenthesis at the end of the regular expression"
            ),
            (
                "--expect=[",
                "'[' for '--expect': missing terminating ] for character class at the end of the regular expression"
            ),
            ("--decode=msgpac", "'msgpac' for '--decode': did you mean 'msgpack'?"),
            ("--decode=MSGPACK", "'MSGPACK' for '--decode': did you mean 'msgpack'?"),
            ("--input=JSON", "'JSON' for '--input': did you mean 'json'?"),
            (
                "--protocol=MQTT",
                "'MQTT' for '--protocol': unknown protocol; did you mean 'mqtt'? To offer the subprotocol, use -s MQTT"
            ),
            (
                "--until=id {{seq}}",
                #"'id {{seq}}' for '--until': a regular expression has no placeholders; write '\{\{' for literal braces"#
            ),
            (
                "--ready={{env:A}}",
                #"'{{env:A}}' for '--ready': a regular expression has no placeholders; write '\{\{' for literal braces"#
            ),
            ("--input=chunk", "'chunk' for '--input': did you mean 'chunks'?"),
            (
                "--correlate=id=/a,",
                "'id=/a,' for '--correlate': expected the name of a JSON member, a path such as /params/id, or REQUEST=REPLY; write '~' as ~0 and '/' as ~1"
            ),
            (
                "--correlate=/a~2",
                "'/a~2' for '--correlate': expected the name of a JSON member, a path such as /params/id, or REQUEST=REPLY; write '~' as ~0 and '/' as ~1"
            ),
            ("-nx", "'x' for '-n': expected a number such as 5, 50k, or 1M"),
            ("-n0", "'0' for '-n': expected a number from 1 to 1000000000000"),
            ("--input=csv", "'csv' for '--input': expected lines, nul, message, chunks, hex, base64, or json"),
            (
                "--close-code=1006",
                "'1006' for '--close-code': expected 1000 to 1003, 1007 to 1014, or 3000 to 4999"
            ),
            ("-s", "'' for '-s': expected a name, but got nothing"),
            ("--reconnect=0", "'0' for '--reconnect': expected a number from 1 to 1000000000000"),
            ("--reconnect=", "'' for '--reconnect': expected a number such as 5, 50k, or 1M"),
            ("--reconnect-delay=0", "'0' for '--reconnect-delay': expected more than 0, up to 1000000000s"),
            ("--reconnect-delay=0..1s", "'0..1s' for '--reconnect-delay': expected more than 0, up to 1000000000s"),
            (
                "--reconnect-delay=2s..1s",
                "'2s..1s' for '--reconnect-delay': expected a duration such as 250ms, or a range such as 100ms-2s"
            ),
            ("--heartbeat=0", "'0' for '--heartbeat': expected more than 0, up to 1000000000s"),
            ("--heartbeat-message=", "'' for '--heartbeat-message': expected text, but got nothing"),
        ])
    func badValue(option: String, expected: String) {
        let words = option == "-s" ? ["-s", ""] : [option]
        #expect(Self.message(["connect", "echo:"] + words) == "wsx: invalid value " + expected)
    }

    @Test(
        "A bad value for listen is shown with the expected form",
        arguments: [
            ("--delay=x", "'x' for '--delay': expected a duration such as 250ms, or a range such as 100ms-2s"),
            ("--drop-rate=2", "'2' for '--drop-rate': expected a fraction from 0 to 1, or a percentage such as 10%"),
            (
                "--close-after=x",
                "'x' for '--close-after': expected a number of messages such as 5, or a time with a unit such as 500ms or 5s"
            ),
            (
                "--reject=200",
                "'200' for '--reject': expected a status from 300 to 599, optionally with a number of requests, such as 503x3"
            ),
            ("--throttle=1", "'1' for '--throttle': expected a number from 64 to 1099511627776"),
        ])
    func badListenValue(option: String, expected: String) {
        #expect(Self.message(["listen", "0", option]) == "wsx: invalid value " + expected)
    }

    @Test(
        "A value that is meant for another tool's option is named",
        arguments: [
            (["-u", "ws://h", "hi"], "'ws://h' for '-u': this is a URL, not a user; write the URL without an option"),
            (
                ["-s", ":8080", "hi"],
                "':8080' for '-s': this is an address, not a subprotocol; use 'wsx listen :8080' for a server"
            ),
            (["--json", #"{"a":1}"#, "ws://h"], #"'{"a":1}' for 'URL': this is a message; write it after the URL"#),
            (["connect", "[1,2]", "ws://h"], "'[1,2]' for 'URL': this is a message; write it after the URL"),
            (
                ["bench", "load.js"],
                "'load.js' for 'URL': this is a script; write the server's URL, and describe the load with --scenario FILE"
            ),
            (["ws-l:8080"], "'ws-l:8080' for 'URL': this is a websocat address; use 'wsx listen 8080'"),
            (
                ["stdin:"],
                "'stdin:' for 'URL': this is a websocat address; write just the URL: wsx reads standard input"
            ),
            (
                ["echo:", "-w", "%{http_code}"],
                "'%{http_code}' for '-w': this is a format of curl; use --output json for the status and the timings"
            ),
            (
                ["echo:", "-o", "*"],
                "'*' for '-o': this is a server's setting; write the origin of one page, or omit the option"
            ),
            (
                ["echo:", "--output", "out.txt"],
                "'out.txt' for '--output': this is a file; use > FILE to save the output"
            ),
            (["echo:", "-H=A: secret"], " for '-H': an equals sign precedes the name; write -H 'Name: value'"),
            (
                ["bench", "echo:", "--threshold", "p(99)<20"],
                "'p(99)<20' for '--threshold': unknown metric 'p(99)'; did you mean 'p99'?"
            ),
            (
                ["bench", "echo:", "--threshold", "http_req_duration p(95) < 1s"],
                "'http_req_duration p(95) < 1s' for '--threshold': unknown metric 'http_req_duration p(95)'; did you mean 'p95'?"
            ),
            (
                ["bench", "echo:", "--threshold", "avg<20ms"],
                "'avg<20ms' for '--threshold': unknown metric 'avg'; did you mean 'mean'?"
            ),
        ] as [([String], String)])
    func misplacedValue(words: [String], expected: String) {
        #expect(
            Self.message(words) == "wsx: invalid value " + expected
                || Self.message(words) == "wsx: invalid value" + expected)
    }

    @Test(
        "A URL may begin with a placeholder or an IPv6 address",
        arguments: ["{{env:HOST}}/x", "[::1]:80", "[fe80::1%25lo]"])
    func noMessage(url: String) {
        #expect(Self.message(["connect", url]) == nil)
    }

    @Test("A size that is too small or too large is rejected with the same limits", arguments: ["0", "2G"])
    func size(value: String) {
        #expect(
            Self.message(["bench", "u", "--size", value])?.hasSuffix("from 1 to 1073741824") == true)
    }

    @Test("A reason that is too long is rejected with its size") func longReason() {
        let reason = String(repeating: "r", count: 130)
        #expect(
            Self.message(["connect", "echo:", "--close-reason", reason])
                == "wsx: invalid value '\(reason)' for '--close-reason': it has 130 bytes; the limit is 123")
    }

    @Test("An unsupported shell is a bad value") func shell() {
        #expect(
            Self.message(["completions", "tcsh"])
                == "wsx: invalid value 'tcsh' for 'SHELL': expected bash, zsh, or fish")
    }

    @Test("Control characters of the input do not reach the terminal") func escaping() {
        #expect(Self.message(["\u{1B}[2J\n"]) == #"wsx: unknown command '\u{1B}[2J\u{A}'; 'wsx -h' lists the commands"#)
        #expect(
            Self.message(["connect", "--\u{9B}\u{202E}\u{7F}\r\n"])
                == #"wsx: unknown option '--\u{9B}\u{202E}\u{7F}\u{D}\u{A}'; 'wsx connect -h' lists the options"#)
    }

    private static func message(_ words: [String]) -> String? {
        do throws(UsageError) {
            _ = try Invocation.program.parse(words)
            return nil
        } catch {
            return error.message
        }
    }
}
