import Formats
import TestSupport
import Testing
import WSCore

@testable import Conversation

/// Reads scenarios with durations such as `2s` and `500ms`.
enum ScenarioFixture {
    static var options: ScenarioOptions {
        ScenarioOptions(parseDuration: duration) { text in
            let parts = text.split(separator: "-").compactMap { duration(String($0)) }
            guard let first = parts.first, let last = parts.last, first <= last else { return nil }
            return first...last
        }
    }

    private static func duration(_ text: String) -> Duration? {
        if text.hasSuffix("ms") { return Int(text.dropLast(2)).map { .milliseconds($0) } }
        return text.hasSuffix("s") ? Int(text.dropLast()).map { .seconds($0) } : nil
    }

    static func scenario(_ lines: String..., options: ScenarioOptions = options) throws(ScenarioError) -> Scenario {
        let bytes = Array(lines.joined(separator: "\n").utf8)
        return try Scenario(bytes.span.bytes, options)
    }
}

@Suite struct ScenarioReaderTests {
    /// Describes the steps in short.
    private func steps(_ scenario: Scenario) -> [String] {
        scenario.steps.map { step in
            let words =
                switch step.action {
                case .send(let message): "send \(message.kind)"
                case .receive(let expectation): expectation.isStrict ? "receive strictly" : "receive"
                case .sendPing(let payload): "ping \(String(decoding: payload, as: UTF8.self))"
                case .sendPong: "pong"
                case .receivePing: "receive ping"
                case .receivePong: "receive pong"
                case .close(let frame): "close \(frame.code?.rawValue ?? 0) \(frame.reason)"
                case .drop: "drop"
                case .receiveClose(let code): "receive close \(code?.rawValue ?? 0)"
                case .pause(let range): "pause \(range.lowerBound) \(range.upperBound)"
                }
            return words + (step.name.map { " as \($0)" } ?? "") + (step.timeout.map { " in \($0)" } ?? "")
        }
    }

    @Test("Each type of line is a step, and blank lines are skipped")
    func types() throws {
        let scenario = try ScenarioFixture.scenario(
            #"{"type":"message","direction":"out","data":"hello"}"#, "",
            #"{"type":"message","direction":"in","match":"^hi","name":"greeting","timeout":"2s","strict":true}"#,
            #"{"type":"repeat"}"#,
            #"{"type":"message","direction":"out","base64":"AAE="}"#,
            #"{"type":"ping","direction":"out","data":"x"}"#,
            #"{"type":"pong","direction":"in","timeout":"500ms"}"#,
            #"{"type":"ping","direction":"in"}"#,
            #"{"type":"pong","direction":"out"}"#,
            #"{"type":"pause","for":"1s-3s"}"#,
            #"{"type":"pause","for":"250ms"}"#,
            #"{"type":"close","direction":"in","code":4000}"#,
            #"{"type":"close","direction":"out","code":1000,"reason":"bye"}"#)
        expectEqual(
            steps(scenario),
            [
                "send text", "receive strictly as greeting in 2.0 seconds", "send binary", "ping x",
                "receive pong in 0.5 seconds", "receive ping", "pong", "pause 1.0 seconds 3.0 seconds",
                "pause 0.25 seconds 0.25 seconds", "receive close 4000", "close 1000 bye",
            ])
        expectEqual(scenario.repeatStart, 2)
        expectEqual(scenario.steps.map(\.line), [1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13])
        expectTrue(scenario.endsConnection)
        expectEqual(scenario.stepNames, ["greeting"])
    }

    @Test("A recording of a client is a scenario")
    func clientRecording() throws {
        let scenario = try ScenarioFixture.scenario(
            #"{"type":"recording","time":"2026-05-01T12:00:00.000000Z","version":1}"#,
            #"{"type":"open","time":"2026-05-01T12:00:00.000000Z","url":"ws://h/","status":101,"headers":{"a":"b"}}"#,
            #"{"type":"message","time":"2026-05-01T12:00:01.000000Z","direction":"out","opcode":"text","bytes":2,"data":"hi"}"#,
            #"{"type":"later","time":"2026-05-01T12:00:01.050000Z","direction":"up","client":"x","name":1,"name":2}"#,
            #"{"type":"message","time":"2026-05-01T12:00:01.100000Z","direction":"in","opcode":"text","bytes":2,"data":"ho","#
                + #""request":1,"rtt_us":100000}"#,
            #"{"type":"close","time":"2026-05-01T12:00:02.000000Z","direction":"out","code":1000,"reason":""}"#,
            #"{"type":"close","time":"2026-05-01T12:00:02.100000Z","direction":"in","code":1000,"reason":"","clean":true}"#
        )
        expectEqual(steps(scenario), ["send text", "receive", "close 1000 ", "receive close 1000"])
    }

    @Test("A recording of a server is seen from its first client")
    func serverRecording() throws {
        let lines = [
            #"{"type":"message","direction":"in","data":"ask","client":3}"#,
            #"{"type":"message","direction":"in","data":"other","client":4}"#,
            #"{"type":"message","direction":"out","data":"reply","client":3}"#,
        ]
        let scenario = try ScenarioFixture.scenario(lines[0], lines[1], lines[2])
        expectEqual(steps(scenario), ["send text", "receive"])
    }

    @Test("The peer's side has the opposite directions")
    func peer() throws {
        var options = ScenarioFixture.options
        options.playsPeer = true
        let scenario = try ScenarioFixture.scenario(
            #"{"type":"message","direction":"out","data":"ask"}"#,
            #"{"type":"message","direction":"in","data":"reply"}"#, options: options)
        expectEqual(steps(scenario), ["receive strictly", "send text"])
    }

    @Test("A member or type that is similar to a known one is reported with all known ones")
    func unknownNames() {
        for (text, name, known) in [
            (#"{"type":"mesage"}"#, "mesage", "message"),
            (#"{"type":"message","direction":"in","timout":"1s"}"#, "timout", "timeout"),
            (#"{"type":"message","direction":"inn"}"#, "inn", "in"),
            (#"{"type":"message","direction":"out","data":"{{tme}}"}"#, "tme", "time"),
        ] {
            do throws(ScenarioError) {
                _ = try ScenarioFixture.scenario(text)
                Issue.record("the scenario should be invalid")
            } catch {
                expectEqual(error.unknownName?.name, name)
                expectEqual(error.unknownName?.known.contains(known), true)
                #expect(error.reason(intendedName: known).contains("did you mean"))
            }
        }
    }

    @Test("A byte order mark is skipped")
    func byteOrderMark() throws {
        let scenario = try ScenarioFixture.scenario("\u{FEFF}" + #"{"type":"ping","direction":"out"}"#)
        expectEqual(steps(scenario), ["ping "])
    }

    @Test("Recorded data is literal, and other data is a template")
    func literalData() throws {
        let recorded =
            #"{"type":"message","time":"2026-05-01T12:00:00.000000Z","direction":"out","data":"{{x}} {{seq}}"}"#
        let scenario = try ScenarioFixture.scenario(recorded, #"{"type":"message","direction":"out","data":"{{seq}}"}"#)
        let areConstant = scenario.steps.map { step in
            if case .send(let message) = step.action { message.template.isConstant } else { false }
        }
        expectEqual(areConstant, [true, false])
    }

    @Test("Received pings and pongs of a recording are not played")
    func recordedControls() throws {
        let time = #""time":"2026-05-01T12:00:00.000000Z""#
        let scenario = try ScenarioFixture.scenario(
            #"{"type":"ping",\#(time),"direction":"out","bytes":1,"data":"x"}"#,
            #"{"type":"pong",\#(time),"direction":"in","bytes":1,"data":"x","rtt_us":5}"#,
            #"{"type":"ping",\#(time),"direction":"in","bytes":0,"data":""}"#)
        expectEqual(steps(scenario), ["ping x"])
    }

    @Test("Of a recording with several connections, the first is played")
    func severalConnections() throws {
        let time = #""time":"2026-05-01T12:00:00.000000Z""#
        let scenario = try ScenarioFixture.scenario(
            #"{"type":"recording",\#(time)}"#,
            #"{"type":"open",\#(time),"url":"ws://h/","status":101}"#,
            #"{"type":"message",\#(time),"direction":"out","data":"a"}"#,
            #"{"type":"close",\#(time),"direction":"in","code":1006,"reason":"","clean":false}"#,
            #"{"type":"message",\#(time),"direction":"out","data":"queued"}"#,
            #"{"type":"error",\#(time),"kind":"lost","message":"x"}"#,
            #"{"type":"open",\#(time),"url":"ws://h/","status":101}"#,
            #"{"type":"message",\#(time),"direction":"in","data":"b"}"#)
        expectEqual(steps(scenario), ["send text", "receive close 1006"])
        expectEqual(scenario.otherConnectionLine, 5)
    }

    @Test("A chosen connection of a recording is played, of a client by order and of a server by client")
    func chosenConnection() throws {
        let time = #""time":"2026-05-01T12:00:00.000000Z""#
        let ofClient = [
            #"{"type":"recording",\#(time)}"#, #"{"type":"open",\#(time),"url":"ws://h/"}"#,
            #"{"type":"message",\#(time),"direction":"out","data":"a"}"#,
            #"{"type":"close",\#(time),"direction":"in","code":1006,"reason":"","clean":false}"#,
            #"{"type":"open",\#(time),"url":"ws://h/"}"#, #"{"type":"ping",\#(time),"direction":"out","data":"b"}"#,
            #"{"type":"close",\#(time),"direction":"in","code":1006,"reason":"","clean":false}"#,
            #"{"type":"open",\#(time),"url":"ws://h/"}"#, #"{"type":"message",\#(time),"direction":"in","data":"c"}"#,
        ]
        let ofServer = [
            #"{"type":"recording",\#(time)}"#, #"{"type":"open",\#(time),"url":"ws://h/","client":2}"#,
            #"{"type":"open",\#(time),"url":"ws://h/","client":7}"#,
            #"{"type":"message",\#(time),"direction":"out","data":"a","client":2,"rewritten":true}"#,
            #"{"type":"message",\#(time),"direction":"in","data":"b","client":7,"injected":true}"#,
            #"{"type":"message",\#(time),"direction":"in","data":"c","client":2}"#,
        ]
        for (lines, connection, expected) in [
            (ofClient, nil, ["send text", "receive close 1006"]), (ofClient, 1, ["send text", "receive close 1006"]),
            (ofClient, 2, ["ping b", "receive close 1006"]), (ofClient, 3, ["receive"]),
            (ofServer, nil, ["receive", "send text"]), (ofServer, 2, ["receive", "send text"]),
            (ofServer, 7, ["send text"]),
        ] as [([String], Int?, [String])] {
            var options = ScenarioFixture.options
            options.connection = connection
            let scenario = try Scenario(Array(lines.joined(separator: "\n").utf8).span.bytes, options)
            expectEqual(steps(scenario), expected)
        }
        for (lines, problem) in [
            (ofClient, "the file has no connection 9; it has 1, 2, and 3"),
            (ofServer, "the file has no connection 9; it has 2 and 7"),
            (Array(ofClient.prefix(3)), "the file has no connection 9; it has 1"),
        ] {
            var options = ScenarioFixture.options
            options.connection = 9
            do throws(ScenarioError) {
                _ = try Scenario(Array(lines.joined(separator: "\n").utf8).span.bytes, options)
                Issue.record("accepted")
            } catch {
                expectEqual(error.reason(intendedName: nil), problem)
            }
        }
    }

    @Test("A recorded close frame follows the replies that arrived after it")
    func lateReplies() throws {
        let time = #""time":"2026-05-01T12:00:00.000000Z""#
        let scenario = try ScenarioFixture.scenario(
            #"{"type":"message",\#(time),"direction":"out","data":"a"}"#,
            #"{"type":"close",\#(time),"direction":"out","code":1000,"reason":""}"#,
            #"{"type":"message",\#(time),"direction":"in","data":"b"}"#,
            #"{"type":"close",\#(time),"direction":"in","code":1000,"reason":"","clean":true}"#)
        expectEqual(steps(scenario), ["send text", "receive", "close 1000 ", "receive close 1000"])
    }

    @Test("A recorded end without an answer to the close frame is one step")
    func unansweredClose() throws {
        let time = #""time":"2026-05-01T12:00:00.000000Z""#
        let scenario = try ScenarioFixture.scenario(
            #"{"type":"close",\#(time),"direction":"out","code":1000,"reason":""}"#,
            #"{"type":"close",\#(time),"direction":"out","code":1006,"reason":"","clean":false}"#)
        expectEqual(steps(scenario), ["close 1000 "])
    }

    @Test("A close with a code that cannot be sent drops the connection")
    func drop() throws {
        let scenario = try ScenarioFixture.scenario(#"{"type":"close","direction":"out","code":1006}"#)
        expectEqual(steps(scenario), ["drop"])
    }

    @Test("The peer needs data to send, and answers pings without a step")
    func peerSteps() throws {
        var options = ScenarioFixture.options
        options.playsPeer = true
        let scenario = try ScenarioFixture.scenario(
            #"{"type":"ping","direction":"out"}"#, #"{"type":"pong","direction":"in"}"#,
            #"{"type":"pong","direction":"in"}"#,
            #"{"type":"message","direction":"in","match":{"/a":1},"data":"{\"a\":1}","strict":true,"timeout":"1s"}"#,
            #"{"type":"message","direction":"out","data":"x"}"#, options: options)
        expectEqual(steps(scenario), ["receive ping", "pong", "send text in 1.0 seconds", "receive strictly"])
        for (members, description) in [
            (#""match":"x""#, "line 1, column 44: the message to send is unknown; add 'data' to 'match'"),
            (
                #""data":"x","expect":"x""#,
                "line 1, column 56: 'expect' checks the message that 'match' selects; add 'match'"
            ),
        ] {
            let line = #"{"type":"message","direction":"in",\#(members)}"#
            do throws(ScenarioError) {
                _ = try ScenarioFixture.scenario(line, options: options)
                Issue.record("the scenario should be invalid")
            } catch {
                expectEqual("\(error)", description)
            }
        }
    }

    @Test("Values of the last message can be inserted after a step that receives one, on either side")
    func lastMessage() throws {
        var options = ScenarioFixture.options
        for playsPeer in [false, true] {
            options.playsPeer = playsPeer
            let scenario = try ScenarioFixture.scenario(
                #"{"type":"message","direction":"in","data":"{\"a\":1}"}"#,
                #"{"type":"message","direction":"out","data":"{{last:/a}}"}"#, options: options)
            expectEqual(scenario.steps.count, 2)
        }
    }

    private static let time = #""time":"2026-05-01T12:00:00.000000Z""#
    private static let binary = #"{"type":"message",\#(time),"direction":"in","opcode":"binary","bytes":4,"#

    private func expectedKind(_ line: String, decoders: [Codec]) throws -> MessageKind? {
        var options = ScenarioFixture.options
        options.decoders = decoders
        let scenario = try ScenarioFixture.scenario(line, options: options)
        guard case .receive(let expectation) = scenario.steps[0].action else { return nil }
        return expectation.kind
    }

    @Test("A recorded binary message is decoded, because the received one is, too")
    func recordedBinary() throws {
        let line = Self.binary + #""base64":"gaFhAQ=="}"#
        try expectEqual(expectedKind(line, decoders: []), .binary)
        try expectEqual(expectedKind(line, decoders: [.messagePack]), .binary)
        try expectEqual(expectedKind(line, decoders: [.gzip]), .binary)
    }

    @Test("The opcode of a step is that of the message before it is decoded")
    func writtenBinary() throws {
        let step = #"{"type":"message","direction":"in","#
        try expectEqual(expectedKind(step + #""base64":"gaFhAQ=="}"#, decoders: []), .binary)
        try expectEqual(expectedKind(step + #""base64":"gaFhAQ=="}"#, decoders: [.messagePack]), .binary)
        try expectEqual(expectedKind(step + #""opcode":"text","data":"a"}"#, decoders: [.messagePack]), .text)
        try expectEqual(expectedKind(step + #""opcode":"binary","data":"a"}"#, decoders: [.messagePack]), .binary)
        try expectNil(expectedKind(step + #""data":"a"}"#, decoders: [.messagePack]))
        try expectEqual(expectedKind(step + #""base64":"gaFhAQ=="}"#, decoders: [.gzip]), .binary)
        let match = step + #""opcode":"binary","match":"a"}"#
        try expectEqual(expectedKind(match, decoders: []), .binary)
        try expectEqual(expectedKind(match, decoders: [.messagePack]), .binary)
        try expectNil(expectedKind(step + #""match":"a"}"#, decoders: [.messagePack]))
    }

    @Test("An event with a decoded message expects the decoded text")
    func decodedEvent() throws {
        let decoded = Self.binary + #""data":"{\"a\":1}","decoded":"msgpack"}"#
        try expectEqual(expectedKind(decoded, decoders: [.messagePack]), .binary)
        try expectEqual(expectedKind(decoded, decoders: []), .text)
        let undecodable = Self.binary + #""base64":"/w==","decode_error":"damaged"}"#
        try expectEqual(expectedKind(undecodable, decoders: []), .binary)
    }

    @Test("The first text that a codec cannot encode is found, unless it has placeholders")
    func unencodable() throws {
        let scenario = try ScenarioFixture.scenario(
            #"{"type":"message","direction":"out","data":"{\"a\":1}"}"#,
            #"{"type":"message","direction":"out","data":"id {{seq}}"}"#,
            #"{"type":"message","direction":"out","data":"AA","opcode":"binary"}"#,
            #"{"type":"message","direction":"out","data":"not JSON"}"#)
        expectEqual(scenario.firstUnencodable(by: TextEncoder([.messagePack]))?.line, 4)
    }

    @Test("A peer that would send without end is rejected")
    func endlessPeer() {
        var options = ScenarioFixture.options
        options.playsPeer = true
        #expect(throws: ScenarioError.self) {
            try ScenarioFixture.scenario(
                #"{"type":"repeat"}"#, #"{"type":"message","direction":"in","data":"x"}"#, options: options)
        }
    }

    @Test("Variables that messages set can be inserted after that")
    func variables() throws {
        let scenario = try ScenarioFixture.scenario(
            #"{"type":"message","direction":"in","match":{"/type":"hello"},"set":{"sid":"/session"}}"#,
            #"{"type":"message","direction":"out","data":"{{sid}}"}"#)
        expectEqual(scenario.variables.names, ["sid"])
    }

    static let errorsCases: [(String, Int, Int, String)] = [
        (#"{"type":"mesage"}"#, 1, 9, "unknown type 'mesage'"),
        (#"{"type":"message","direction":"out"}"#, 1, 9, "neither 'data' nor 'base64'"),
        (#"{"type":"message","direction":"up","data":""}"#, 1, 31, "unknown direction 'up'"),
        (#"{"type":"message","data":""}"#, 1, 1, "no 'direction'"),
        (#"{"type":"message","direction":"in","mach":"x"}"#, 1, 36, "unknown member 'mach'"),
        (#"{"type":"message","direction":"in","match":"("}"#, 1, 44, "'match'"),
        (#"{"type":"message","direction":"in","match":"x","timeout":"2"}"#, 1, 58, "'timeout' is not a duration"),
        (
            #"{"type":"message","direction":"out","data":"x","timeout":"2s"}"#, 1, 48,
            "an outgoing message has no 'timeout'; delete it"
        ),
        (#"{"type":"message","direction":"out","data":"{{sid}}"}"#, 1, 45, "unknown placeholder '{{sid}}'"),
        (#"{"type":"message","direction":"out","data":"\"ä\u00e4{{sid}}"}"#, 1, 54, "unknown placeholder"),
        (#"{"type":"message","direction":"in","match":{"/a":"\n{{sid}}"}}"#, 1, 53, "unknown placeholder"),
        (#"{"type":"message","direction":"in","match":{"/a":["b","{{sid}}"]}}"#, 1, 50, "unknown placeholder"),
        (#"{"type":"message","direction":"in","data":"x","timeout":"0s"}"#, 1, 57, "'timeout' is zero"),
        (#"{"type":"message","direction":"in","data":"x","name":""}"#, 1, 54, "'name' is empty"),
        (#"{"type":"message","direction":"out","data":"a\ud800"}"#, 1, 46, "half of a surrogate pair"),
        (#"{"type":"message","direction":"in","match":{"/a":"\udc00"}}"#, 1, 51, "half of a surrogate pair"),
        (#"{"type":"message","direction":"out","data":"ä","dat":1}"#, 1, 48, "unknown member 'dat'"),
        (#"{"type":"pause"}"#, 1, 9, "the pause has no length"),
        (#"{"type":"pause","for":"3s-1s"}"#, 1, 23, "nor an ascending range"),
        (#"{"type":"message","direction":"in","match":"x","set":{"seq":"/a"}}"#, 1, 55, "placeholder"),
        (
            #"{"type":"message","direction":"in","match":"x","set":{"a":"/a","b":"/b","a":"/c"}}"#, 1, 73,
            #"'set': the member "a" occurs twice; delete one"#
        ),
        (
            #"{"type":"message","direction":"in","match":{"/a":1,"/b":2,"/a":3}}"#, 1, 59,
            #"'match': the member "/a" occurs twice; delete one"#
        ),
        (#"{"type":"message","direction":"in","match":"x","set":{"a":"b"}}"#, 1, 59, "expected a JSON Pointer"),
        (#"{"type":"message","direction":"in","match":"x","set":{"a":1}}"#, 1, 59, "expected a JSON Pointer"),
        (#"{"type":"message","direction":"in","match":"x","set":{"a":"/~2"}}"#, 1, 59, "write '~' as ~0"),
        (
            #"{"type":"message","direction":"in","match":{"a":1}}"#, 1, 45,
            "expected a JSON Pointer such as /user/name"
        ),
        (#"{"type":"message","direction":"out","data":"\n{{last:/a}}"}"#, 1, 47, "no earlier step receives one"),
        (
            #"{"type":"message","direction":"in","match":{"/a":"b {{last:/a}}"}}"#, 1, 53,
            "'match': {{last:…}} needs a received message, but no earlier step receives one"
        ),
        (
            #"{"type":"message","direction":"out","data":"{{}}"}"#, 1, 45,
            "{{env:NAME}}, or '{{{{' for two literal braces"
        ),
        (#"{"type":"repeat"}"#, 1, 1, "the file has no steps"),
        ("[]", 1, 1, "expected a JSON object"),
        (#"{"type":"ping","#, 1, 16, "not JSON"),
        (#"{"type":"ping","direction":"in","match":"x"}"#, 1, 33, "an incoming ping has no 'match'; delete it"),
        (#"{"type":"ping","direction":"in","data":"x"}"#, 1, 33, "an incoming ping has no 'data'; delete it"),
        (#"{"type":"pong","direction":"out","timeout":"1s"}"#, 1, 34, "an outgoing pong has no 'timeout'"),
        (#"{"type":"pause","for":"1s","match":"x"}"#, 1, 28, "a pause has no 'match'"),
        (#"{"type":"pause","for":"1s","direction":"in"}"#, 1, 28, "a pause has no 'direction'"),
        (#"{"type":"repeat","name":"x"}"#, 1, 18, "'repeat' has no 'name'"),
        (#"{"type":"close","direction":"in","reason":"x"}"#, 1, 34, "an incoming close has no 'reason'"),
        (#"{"type":"close","direction":"out","data":"x"}"#, 1, 35, "an outgoing close has no 'data'"),
        (#"{"type":"close","direction":"out","code":"1000"}"#, 1, 42, "'code' is not a number from 1000 to 4999"),
        (#"{"type":"close","direction":"out","code":2000}"#, 1, 42, "no close frame can contain 2000"),
        (#"{"type":"close","direction":"out","code":1015}"#, 1, 42, "no close frame can contain 1015"),
        (
            #"{"type":"message","direction":"out","data":"x","expect":"x"}"#, 1, 48,
            "an outgoing message has no 'expect'"
        ),
        (
            #"{"type":"message","direction":"out","data":"x","strict":true}"#, 1, 48,
            "an outgoing message has no 'strict'"
        ),
        (
            #"{"type":"message","direction":"out","data":"x","optional":1}"#, 1, 59,
            "'optional' is neither true nor false"
        ),
        (#"{"type":"message","direction":"in","data":"x","strict":1}"#, 1, 56, "neither true nor false"),
        (#"{"type":"message","direction":"in","data":"x","opcode":"bin"}"#, 1, 56, "unknown opcode 'bin'"),
        (#"{"type":"message","direction":"in","data":"x","base64":""}"#, 1, 56, "exclude each other"),
        (#"{"type":"message","direction":"out","base64":"/w==","opcode":"text"}"#, 1, 46, "not UTF-8"),
        (#"{"type":"message","direction":"out","base64":"?"}"#, 1, 46, "not Base64"),
        (
            #"{"type":"message","direction":"in","data":"x","client":0}"#, 1, 56,
            "'client' is not a number of at least 1"
        ),
        (#"{"type":"message","direction":"in","data":"x","data":"y"}"#, 1, 47, "occurs twice"),
        (
            #"{"type":"close","direction":"in"}"# + "\n" + #"{"type":"ping","direction":"out"}"#, 2, 9,
            "no step can follow 'close'"
        ),
        (#"{"type":"message","direction":"in","mathc":"x"}"#, 1, 36, "unknown member 'mathc'"),
        (#"{"type":"message","directon":"in","data":"x"}"#, 1, 19, "unknown member 'directon'"),
        (#"{"type":"message","direction":"inn","data":"x"}"#, 1, 31, "unknown direction 'inn'"),
        (#"{"type":"message","direction":null,"data":"x"}"#, 1, 31, "'direction' is not a string"),
        (#"{"type":"message","direction":"out","data":7}"#, 1, 44, "'data' is not a string"),
        (#"{"type":"message","direction":"in","replyEnd":"("}"#, 1, 47, "'replyEnd'"),
        (#"{"type":"message","direction":"in","data":"a","for":"1s"}"#, 1, 47, "an incoming message has no 'for'"),
        (#"{"type":"message","direction":"in","data":"a","timeout":2}"#, 1, 57, "'timeout' is not a string"),
        (#"{"type":"message","direction":"in","data":"a","set":[]}"#, 1, 53, "'set' is not an object"),
        (#"{"type":"repeat"}"# + "\n" + #"{"type":"repeat"}"#, 2, 9, "'repeat' occurs twice"),
        (#"{"type":"ping","direction":"out"}"# + "\n" + #"{"type":"repeat"}"#, 2, 1, "no step follows 'repeat'"),
        (
            #"{"type":"ping","direction":"out","data":""# + String(repeating: "x", count: 126) + #""}"#, 1, 41,
            "at most 125 bytes"
        ),
        ("", 1, 1, "the file has no steps"),
        ("{\"type\":\"ping\",\"direction\":\"out\"}\n{\"type\":1}", 2, 9, "'type' is not a string"),
    ]

    @Test("An error names its line and column, and a reason", arguments: Self.errorsCases)
    func errors(_ text: String, _ line: Int, _ column: Int, _ reason: String) throws {
        do throws(ScenarioError) {
            _ = try ScenarioFixture.scenario(text)
            Issue.record("the scenario should be invalid")
        } catch {
            #expect((error.line, error.column) == (line, column), "\(error)")
            #expect(reason.isEmpty || error.reason.contains(reason), "\(error)")
        }
    }
}
