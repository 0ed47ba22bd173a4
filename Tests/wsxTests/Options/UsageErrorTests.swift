import CommandLine
import Testing

@testable import wsx

/// The errors shown for wrong command lines: one line with the problem, the reason, and a remedy.
@Suite struct UsageErrorTests {
    @Test(
        "Each mistake is reported on one line with its remedy",
        arguments: [
            ([], "a command is missing; try 'wsx connect echo:' or 'wsx --help'"),
            (["conect"], "unknown command 'conect'; did you mean 'wsx connect'?"),
            (["serve"], "unknown command 'serve'; use 'wsx listen PORT'"),
            (["help", "bogus"], "unknown command 'bogus'; 'wsx -h' shows the commands"),
            (["conect", "-v", "ws://h/p"], "unknown command 'conect'; did you mean 'wsx connect'?"),
            (["-q"], "'wsx connect' needs URL; 'wsx connect -h' shows the usage"),
            (["-q", "-c"], "'-c' needs a value: -c URL"),
            (["--listen"], "'--listen' needs a value: --listen PORT"),
            (["-l", "8080", "-n5"], "'-n' belongs to 'wsx connect' and 'wsx bench'"),
            (["connect", "--outptu"], "unknown option '--outptu'; did you mean '--output'?"),
            (["connect", "--out", "raw"], "unknown option '--out'; did you mean '--output'?"),
            (["connect", "--quite=1"], "unknown option '--quite'; did you mean '--quiet'?"),
            (["connect", "-linger", "1"], "unknown option '-l'; did you mean '--linger'?"),
            (["connect", "-Z"], "unknown option '-Z'; 'wsx connect -h' shows the options"),
            (["--bananas"], "unknown option '--bananas'; 'wsx connect -h' shows the options"),
            (["connect", "--echo"], "'--echo' belongs to 'wsx listen'"),
            (["listen", "-n5"], "'-n' belongs to 'wsx connect' and 'wsx bench'"),
            (["connect", "--version"], "'--version' belongs to 'wsx'"),
            (["-v", "connect"], "'-v' stands before the command; write 'wsx connect -v ...'"),
            (["connect", "echo:", "--linger"], "'--linger' needs a value: --linger DURATION"),
            (["connect", "echo:", "-qx"], "'-x' needs a value: -x MESSAGE"),
            (["listen", "--echo=yes"], "'--echo' takes no value; write it without '='"),
            (["connect"], "'wsx connect' needs URL; 'wsx connect -h' shows the usage"),
            (["completions"], "'wsx completions' needs SHELL; 'wsx completions -h' shows the usage"),
            (["listen", "1", "2"], "unexpected argument '2'; 'wsx listen -h' shows the usage"),
            (["listen", "--exec", "8080", "--"], "'--exec' needs a program; end the line with -- PROGRAM [ARG...]"),
            (["listen", "--exec", "8080", "cat"], "'--exec' needs a program; end the line with -- PROGRAM [ARG...]"),
            (
                ["listen", "8080", "--", "cat", "-n"],
                "unexpected argument 'cat' after '--'; '--exec' runs it as a program"
            ),
            (["listen", "8080", "x", "--", "cat"], "unexpected argument 'x'; 'wsx listen -h' shows the usage"),
            (
                ["listen", "8080", "--max-processes", "1"],
                "'--max-processes' says nothing without '--exec'; give that one, too"
            ),
            (
                ["listen", "8080", "--exec", "--echo", "--", "p"],
                "'--exec' and '--echo' contradict each other; leave one out"
            ),
            (
                ["listen", "8080", "--echo", "--output", "raw"],
                "'--echo' and '--output=raw' contradict each other; leave one out"
            ),
            (
                ["listen", "8080", "--compress-no-context", "--compress=off"],
                "'--compress-no-context' and '--compress=off' contradict each other; leave one out"
            ),
            (
                ["listen", "8080", "--path", "/a", "--path=/b"],
                "'--path' has one value and was given '/a' and '/b'; leave one out"
            ),
            (
                ["listen", "8080", "--client-ca", "f"],
                "'--client-ca' says nothing without '--tls-cert' or '--tls-self-signed'; give one of them, too"
            ),
            (
                ["listen", "8080", "--passphrase", "x"],
                "'--passphrase' says nothing without '--tls-cert'; give that one, too"
            ),
            (["connect", "echo:", "--no-stdin", "-i"], "'-i' and '--no-stdin' contradict each other; leave one out"),
            (
                ["connect", "echo:", "--heartbeat-misses", "2"],
                "'--heartbeat-misses' says nothing without '--heartbeat'; give that one, too"
            ),
            (
                ["connect", "echo:", "--heartbeat-message=x"],
                "'--heartbeat-message' says nothing without '--heartbeat'; give that one, too"
            ),
            (
                ["connect", "echo:", "--reply-timeout=1"],
                "'--reply-timeout' says nothing without '--request', '--correlate' or '--json-rpc'; give one of them, too"
            ),
        ] as [([String], String)])
    func message(words: [String], expected: String) {
        #expect(Self.message(words) == "wsx: " + expected)
    }

    @Test(
        "A bad value is shown with the expected form",
        arguments: [
            ("--linger=soon", "'soon' for '--linger': expected a duration such as 250ms, 5s or 2m, or forever"),
            ("--timeout=", "'' for '--timeout': expected a duration such as 250ms, 5s or 2m"),
            ("--timeout=0", "'0' for '--timeout': expected more than 0 and at most 1000000000s"),
            ("--close-timeout=1000000001", "'1000000001' for '--close-timeout': expected at most 1000000000s"),
            ("--fragment-size=big", "'big' for '--fragment-size': expected a size in bytes such as 512, 64k or 16M"),
            ("--fragment-size=0", "'0' for '--fragment-size': expected 1 through 1099511627776"),
            (
                "--until=a(",
                "'a(' for '--until': expected a regular expression of PCRE2: missing closing parenthesis (at byte 3)"
            ),
            (
                "--expect=[",
                "'[' for '--expect': expected a regular expression of PCRE2: missing terminating ] for character class (at byte 2)"
            ),
            (
                "--correlate=/a~2",
                "'/a~2' for '--correlate': expected the name of a member, or a JSON Pointer, in which only ~0 and ~1 follow a tilde"
            ),
            ("-nx", "'x' for '-n': expected a number such as 5, 50k or 1M"),
            ("-n0", "'0' for '-n': expected 1 through 1000000000000"),
            ("--input=csv", "'csv' for '--input': expected lines, nul, message, chunks, hex, base64 or json"),
            (
                "--close-code=1006",
                "'1006' for '--close-code': expected 1000 through 1003, 1007 through 1014 or 3000 through 4999"
            ),
            ("-s", "'' for '-s': a name is empty"),
            ("--reconnect=0", "'0' for '--reconnect': expected 1 through 1000000000000"),
            ("--reconnect=", "'' for '--reconnect': expected a number such as 5, 50k or 1M"),
            ("--heartbeat=0", "'0' for '--heartbeat': expected more than 0 and at most 1000000000s"),
            ("--heartbeat-message=", "'' for '--heartbeat-message': expected a text that is not empty"),
        ])
    func badValue(option: String, expected: String) {
        let words = option == "-s" ? ["-s", ""] : [option]
        #expect(Self.message(["connect", "echo:"] + words) == "wsx: bad value " + expected)
    }

    @Test(
        "A bad value for listen is shown with the expected form",
        arguments: [
            ("--delay=x", "'x' for '--delay': expected a duration such as 250ms, or a range such as 100ms-2s"),
            ("--drop-rate=2", "'2' for '--drop-rate': expected a fraction from 0 to 1, or percents such as 10%"),
            (
                "--close-after=x",
                "'x' for '--close-after': expected a number of messages such as 5, or a time with its unit such as 500ms or 5s"
            ),
            (
                "--reject=200",
                "'200' for '--reject': expected a status from 300 to 599, or such as 503x3 for the first three requests"
            ),
            ("--throttle=1", "'1' for '--throttle': expected 64 through 1099511627776"),
        ])
    func badListenValue(option: String, expected: String) {
        #expect(Self.message(["listen", "0", option]) == "wsx: bad value " + expected)
    }

    @Test("A reason that is too long is rejected with its size") func longReason() {
        let reason = String(repeating: "r", count: 130)
        #expect(
            Self.message(["connect", "echo:", "--close-reason", reason])
                == "wsx: bad value '\(reason)' for '--close-reason': it has 130 bytes, and at most 123 are allowed")
    }

    @Test("An unsupported shell is a bad value") func shell() {
        #expect(
            Self.message(["completions", "tcsh"]) == "wsx: bad value 'tcsh' for 'SHELL': expected bash, zsh or fish")
    }

    @Test("Control characters of the input do not reach the terminal") func escaping() {
        #expect(Self.message(["\u{1B}[2J\n"]) == #"wsx: unknown command '\u{1B}[2J\u{A}'; 'wsx -h' shows the commands"#)
        #expect(
            Self.message(["connect", "--\u{9B}\u{202E}\u{7F}\r\n"])
                == #"wsx: unknown option '--\u{9B}\u{202E}\u{7F}\u{D}\u{A}'; 'wsx connect -h' shows the options"#)
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
