import Formats
import Testing
import WSCore

@testable import Conversation

/// Reads scenarios with durations such as `2s` and `500ms`.
enum ScenarioFixture {
    static var options: ScenarioOptions {
        ScenarioOptions { text in
            if text.hasSuffix("ms") { return Int(text.dropLast(2)).map { .milliseconds($0) } }
            return text.hasSuffix("s") ? Int(text.dropLast()).map { .seconds($0) } : nil
        }
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
                case .send(let kind, _): "send \(kind)"
                case .receive(let expectation): expectation.isStrict ? "receive strictly" : "receive"
                case .sendPing(let payload): "ping \(String(decoding: payload, as: UTF8.self))"
                case .sendPong: "pong"
                case .receivePing: "receive ping"
                case .receivePong: "receive pong"
                case .close(let frame): "close \(frame.code?.rawValue ?? 0) \(frame.reason)"
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
        #expect(
            steps(scenario) == [
                "send text", "receive strictly as greeting in 2.0 seconds", "send binary", "ping x",
                "receive pong in 0.5 seconds", "receive ping", "pong", "pause 1.0 seconds 3.0 seconds",
                "pause 0.25 seconds 0.25 seconds", "receive close 4000", "close 1000 bye",
            ])
        #expect(scenario.repeatStart == 2)
        #expect(scenario.steps.map(\.line) == [1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13])
        #expect(scenario.endsConnection)
        #expect(scenario.stepNames == ["greeting"])
    }

    @Test("A recording of a client is a scenario")
    func clientRecording() throws {
        let scenario = try ScenarioFixture.scenario(
            #"{"type":"recording","time":"2026-05-01T12:00:00.000000Z","version":1}"#,
            #"{"type":"open","time":"2026-05-01T12:00:00.000000Z","url":"ws://h/","status":101,"headers":{"a":"b"}}"#,
            #"{"type":"message","time":"2026-05-01T12:00:01.000000Z","direction":"out","opcode":"text","bytes":2,"data":"hi"}"#,
            #"{"type":"message","time":"2026-05-01T12:00:01.100000Z","direction":"in","opcode":"text","bytes":2,"data":"ho","#
                + #""request":1,"rtt_us":100000}"#,
            #"{"type":"close","time":"2026-05-01T12:00:02.000000Z","direction":"out","code":1000,"reason":""}"#,
            #"{"type":"close","time":"2026-05-01T12:00:02.100000Z","direction":"in","code":1000,"reason":"","clean":true}"#
        )
        #expect(steps(scenario) == ["send text", "receive", "close 1000 ", "receive close 1000"])
    }

    @Test("A recording of a server is seen from its first client")
    func serverRecording() throws {
        let lines = [
            #"{"type":"message","direction":"in","data":"ask","client":3}"#,
            #"{"type":"message","direction":"in","data":"other","client":4}"#,
            #"{"type":"message","direction":"out","data":"reply","client":3}"#,
        ]
        let scenario = try ScenarioFixture.scenario(lines[0], lines[1], lines[2])
        #expect(steps(scenario) == ["send text", "receive"])
    }

    @Test("The peer's side has the opposite directions")
    func peer() throws {
        var options = ScenarioFixture.options
        options.playsPeer = true
        let scenario = try ScenarioFixture.scenario(
            #"{"type":"message","direction":"out","data":"ask"}"#,
            #"{"type":"message","direction":"in","data":"reply"}"#, options: options)
        #expect(steps(scenario) == ["receive", "send text"])
    }

    @Test("Variables that messages set can be inserted after that")
    func variables() throws {
        let scenario = try ScenarioFixture.scenario(
            #"{"type":"message","direction":"in","match":{"/type":"hello"},"set":{"sid":"/session"}}"#,
            #"{"type":"message","direction":"out","data":"{{sid}}"}"#)
        #expect(scenario.variables.names == ["sid"])
    }

    @Test(
        "An error names its line and column, and a reason",
        arguments: [
            (#"{"type":"mesage"}"#, 1, 9, "unknown type 'mesage'"),
            (#"{"type":"message","direction":"out"}"#, 1, 9, "neither 'data' nor 'base64'"),
            (#"{"type":"message","direction":"up","data":""}"#, 1, 31, "'direction' is not"),
            (#"{"type":"message","data":""}"#, 1, 1, "'direction' is not"),
            (#"{"type":"message","direction":"in","mach":"x"}"#, 1, 36, "unknown member 'mach'"),
            (#"{"type":"message","direction":"in","match":"("}"#, 1, 44, "'match'"),
            (#"{"type":"message","direction":"in","match":"x","timeout":"2"}"#, 1, 58, "'timeout' is not a duration"),
            (
                #"{"type":"message","direction":"out","data":"x","timeout":"2s"}"#, 1, 58,
                "applies only to steps that wait"
            ),
            (#"{"type":"message","direction":"out","data":"{{sid}}"}"#, 1, 44, "unknown placeholder '{{sid}}'"),
            (#"{"type":"message","direction":"out","data":"ä","dat":1}"#, 1, 48, "unknown member 'dat'"),
            (#"{"type":"pause"}"#, 1, 9, "the pause has no length"),
            (#"{"type":"pause","for":"3s-1s"}"#, 1, 23, "not an ascending range"),
            (#"{"type":"message","direction":"in","match":"x","set":{"seq":"/a"}}"#, 1, 55, "placeholder"),
            (#"{"type":"message","direction":"in","match":"x","set":{"a":"b"}}"#, 1, 55, ""),
            (#"{"type":"repeat"}"#, 1, 1, "the file has no steps"),
            ("[]", 1, 1, "expected a JSON object"),
            (#"{"type":"ping","#, 1, 16, "not JSON"),
            ("", 1, 1, "the file has no steps"),
            ("{\"type\":\"ping\",\"direction\":\"out\"}\n{\"type\":1}", 2, 9, "'type' is not a string"),
        ])
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
