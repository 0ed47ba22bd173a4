import CommandLine
import Testing

@testable import wsx

/// Conflicts and requirements between options.
@Suite struct GivenOptionTests {
    /// A mode of the server: its words, those after `--`, and the options of listen that conflict with it.
    struct Mode: Sendable, CustomStringConvertible {
        let words: [String]
        var program: [String] = []
        let refused: [String]

        var description: String { words.first ?? "conversation" }
    }

    static let modes = [
        Mode(words: [], refused: []),
        Mode(words: ["--broadcast"], refused: ["echo", "exec", "replay", "scenario"]),
        Mode(
            words: ["--echo"],
            refused: [
                "binary", "broadcast", "crlf", "diff", "exec", "format", "input", "output", "pick", "replay",
                "replay-speed",
                "scenario", "text",
            ]),
        Mode(
            words: ["--replay=f"],
            refused: [
                "answer", "binary", "broadcast", "crlf", "diff", "echo", "encode", "exec", "first-message", "format",
                "input", "output", "pick",
                "post", "scenario", "text",
            ]),
        Mode(
            words: ["--scenario=f"],
            refused: [
                "answer", "binary", "broadcast", "crlf", "diff", "echo", "exec", "first-message", "format", "input",
                "output",
                "pick", "post",
                "replay", "replay-speed", "text",
            ]),
        Mode(
            words: ["--exec"], program: ["--", "p"],
            refused: [
                "answer", "broadcast", "crlf", "diff", "echo", "first-message", "format", "input", "output", "pick",
                "post", "replay",
                "replay-speed", "scenario",
            ]),
        Mode(words: ["--no-stdin"], refused: ["crlf", "input", "replay-speed"]),
        Mode(words: ["--tls-self-signed"], refused: ["tls-cert"]),
        Mode(words: ["--threads=2"], refused: ["max-connections", "once", "page", "post", "record", "seed"]),
        Mode(
            words: ["--input=json"],
            refused: ["binary", "crlf", "echo", "exec", "no-stdin", "replay", "scenario", "text"]),
        Mode(words: ["--compress=off"], refused: ["compress-no-context", "compress-window-bits"]),
    ]

    @Test("Each mode of the server rejects exactly the options without effect in it", arguments: modes)
    func mode(mode: Mode) {
        var refused: [String] = []
        for testCase in OptionTableTests.listenCases {
            let hasProgram = testCase.words.contains("--")
            let given = mode.words + testCase.words
            let words = ["listen", "0"] + given + (hasProgram ? [] : mode.program)
            guard case .conflict(let first, let second)? = Self.error(words) else { continue }
            // A test case may include another option, which conflicts instead.
            let name = "--" + testCase.option
            if [first, second].contains(where: { $0 == name || $0.hasPrefix(name + "=") }) {
                refused.append(testCase.option)
            }
        }
        #expect(Set(refused) == Set(mode.refused))
    }

    @Test(
        "An explicit default value conflicts with nothing",
        arguments: [
            ["--once", "--threads", "1"], ["--record", "f", "--threads=1"], ["--echo", "--input", "lines"],
            ["--replay", "f", "--output=text"], ["--compress", "--compress-no-context"],
            ["--compress=off", "--compress-window-bits", "15"], ["--seed", "1", "--drop-rate=1%", "--threads", "1"],
        ])
    func defaults(words: [String]) {
        #expect(Self.error(["listen", "0"] + words) == nil)
    }

    @Test(
        "If an option is repeated, the last value is checked",
        arguments: [
            ["--once", "--threads", "2", "--threads", "1"], ["--compress=off", "--compress-no-context", "--compress"],
            ["--echo", "--output=raw", "--output=json"],
        ])
    func lastCounts(words: [String]) {
        #expect(Self.error(["listen", "0"] + words) == nil)
        #expect(Self.error(["listen", "0", "--echo", "--output=json", "--output=raw"]) != nil)
    }

    @Test(
        "A second, different value of a singular option is rejected; a repeated one is not",
        arguments: ["path", "serve", "replay", "tls-cert", "client-ca", "record"])
    func singular(long: String) {
        let company = long == "client-ca" ? ["--tls-self-signed"] : []
        let error = Self.error(["listen", "0", "--\(long)=/a", "--\(long)", "/b"] + company)
        #expect(error == .twoValues(option: "--\(long)", "/a", "/b"))
        #expect(Self.error(["listen", "0", "--\(long)=/a", "--\(long)", "/a"] + company) == nil)
    }

    @Test("Input events have their own kind, but messages on the command line of connect do not")
    func events() {
        #expect(Self.error(["listen", "0", "--input=json", "--binary"]) != nil)
        #expect(Self.error(["connect", "u", "-i", "-x", "a", "--input=json", "--binary"]) == nil)
    }

    @Test(
        "A protocol rejects options that do what it does",
        arguments: [
            "--correlate=id", "--json-rpc", "--first-message=a", "--ready=a", "--answer=a => b",
            "--heartbeat-message=a", "--binary",
        ])
    func protocols(option: String) {
        let words = ["connect", "u", "--protocol", "mqtt", "--heartbeat=9s", option]
        guard case .conflict(let first, let second)? = Self.error(words) else {
            Issue.record("no conflict")
            return
        }
        #expect(Set([first, second]).isSuperset(of: ["--protocol"]))
    }

    @Test("--encode never encodes the messages of a protocol: the options conflict", arguments: ["connect", "bench"])
    func encodedProtocol(command: String) {
        let words = [command, "u", "--protocol=mqtt", "--encode=cbor"] + (command == "bench" ? ["--mode=request"] : [])
        #expect(Self.error(words) == .conflict("--encode", "--protocol"))
    }

    @Test(
        "Heartbeat messages of a load test need a mode in which they are no echoes, and no protocol",
        arguments: [
            ([], false), (["--mode=echo"], false), (["--mode=connect"], false), (["--mode=receive"], true),
            (["--scenario=f"], true), (["--mode=request", "--protocol=mqtt"], false),
            (["--mode=request", "--encode=cbor"], false),
        ] as [([String], Bool)])
    func heartbeatMessages(_ words: [String], _ isValid: Bool) {
        #expect((Self.error(["bench", "u", "--heartbeat-message=a", "--heartbeat=9s"] + words) == nil) == isValid)
    }

    private static func error(_ words: [String]) -> UsageError? {
        do throws(UsageError) {
            _ = try Invocation.program.parse(words)
            return nil
        } catch {
            return error
        }
    }
}
