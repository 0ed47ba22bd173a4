import Conversation
import Formats
import Testing

@testable import Connect
@testable import UserInterface
@testable import WSCore

/// Runs with `--pick`: standard output gets one value of each message.
@Suite struct PickTests {
    /// A run whose peer sends these messages and closes the connection.
    private func run(
        _ path: String, on messages: [String], _ change: (inout ConnectArguments) -> Void = { _ in }
    ) throws -> ConnectFixture.Outcome {
        let pick = try JSONPath(path)
        let fixture = ConnectFixture { arguments in
            arguments.format.pick = pick
            arguments.ending.linger = .forever
            change(&arguments)
        }
        fixture.input = "go\n"
        fixture.didReceive = { peer, event in
            guard event == .text("go") || event == .text(#"{"id":7}"#) else { return }
            for message in messages { peer.send(message) }
            peer.close(1000)
        }
        return try fixture.run()
    }

    private static let feed = [
        #"{"price":50.10,"id":"a\tb"}"#, "heartbeat", #"{"time":1}"#, #"{ "price" : { "bid" : [ 1 , 2 ] } }"#,
        #"{"price":null}"#, #"[{"price":1}]"#, #"{"price":"60"}"#,
    ]

    @Test("Each value is a line, and messages without it are omitted")
    func lines() throws {
        let outcome = try run(".price", on: Self.feed)
        #expect(outcome.failure == nil)
        #expect(outcome.output == "50.10\n{\"bid\":[1,2]}\nnull\n60\n")
        #expect(outcome.notices.isEmpty)
        #expect(try run("/id", on: Self.feed).output == "a\tb\n")
        #expect(try run(".missing", on: Self.feed).output == "")
    }

    @Test(
        "The value is written in each format",
        arguments: [
            (OutputFormat.raw, "50.10x"), (.nul, "50.10\0x\0"), (.hex, "35302e3130\n78\n"),
            (.base64, "NTAuMTA=\neA==\n"),
        ])
    func formats(format: OutputFormat, expected: String) throws {
        let messages = [#"{"a":50.10}"#, #"{"b":1}"#, #"{"a":"x"}"#]
        #expect(try run(".a", on: messages) { $0.format.output = format }.output == expected)
    }

    @Test("In events, the data is the value as text, and other events stay")
    func events() throws {
        let outcome = try run(".a", on: [#"{"b":1}"#, #"{"a":{"x": "é\n"}}"#, #"{"a":"\u00e9"}"#]) {
            $0.format.output = .json
        }
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix(#"{"type":"open","#) && lines[3].hasPrefix(#"{"type":"close","#))
        #expect(lines[1].hasSuffix(#""opcode":"text","bytes":12,"data":"{\"x\":\"é\\n\"}"}"#))
        #expect(lines[2].hasSuffix(#""opcode":"text","bytes":2,"data":"é"}"#))
    }

    @Test("--pretty indents the value")
    func pretty() throws {
        #expect(
            try run(".a", on: [#"{"a":{"x":[]}}"#]) { $0.transcript.isPretty = true }.output == "{\n  \"x\": []\n}\n")
    }

    @Test("Omitted messages do not count for --count")
    func count() throws {
        let outcome = try run(".price", on: Self.feed) { $0.ending.count = 2 }
        #expect(outcome.failure == nil)
        #expect(outcome.output == "50.10\n{\"bid\":[1,2]}\n")
        let early = try run(".id", on: Self.feed) { $0.ending.count = 2 }
        #expect(early.failure?.message == "closed with 1000 after 1 of 2 messages")
        #expect(early.output == "a\tb\n")
    }

    @Test("With --one, a reply without the value ends the run with 7")
    func incompleteReply() throws {
        let outcome = try run(".price", on: ["heartbeat"]) {
            $0.ending.isOne = true
            $0.ending.linger = .idle(.seconds(60))
        }
        #expect(outcome.status == .unmet)
        #expect(outcome.failure?.message == "the reply has no value at .price (--pick)")
        #expect(outcome.output.isEmpty)
        let good = try run(".price", on: [#"{"price":1}"#]) { $0.ending.isOne = true }
        #expect(good.failure == nil)
        #expect(good.output == "1\n")
    }

    @Test("With --one and requests, only replies need the value")
    func incompleteRequest() throws {
        let outcome = try run(".result", on: [#"{"id":9}"#, #"{"id":7,"error":1}"#]) {
            $0.replies.correlation = Correlation("id")
            $0.messages.texts = [#"{"id":7}"#]
            $0.ending.isOne = true
            $0.ending.linger = .idle(.zero)
        }
        #expect(outcome.status == .unmet)
        #expect(outcome.failure?.message == "the reply has no value at .result (--pick)")
    }

    @Test("The default wait counts a reply that is omitted")
    func omittedReply() throws {
        var timer: WSCore.Timer?
        let fixture = ConnectFixture {
            $0.messages.texts = ["go"]
            $0.format.pick = try? JSONPath(".a")
            $0.ending.linger = .answered(idle: .seconds(60))
        }
        fixture.didReceive = { peer, event in
            guard case .text = event else { return }
            peer.send("no value")
            // In time for the whole wait of a minute, but too late for the short one.
            timer = WSCore.Timer(on: peer.loop) { peer.send(#"{"a":"too late"}"#) }
            timer?.start(after: .seconds(30))
        }
        let outcome = try fixture.run()
        timer = nil
        #expect(outcome.failure == nil)
        #expect(outcome.output.isEmpty)
    }

    @Test("--until and --expect search whole messages, including those that are omitted")
    func patterns() throws {
        let outcome = try run(".price", on: Self.feed) {
            $0.ending.until = ["^\\{\"time"]
            $0.ending.expectations = ["heartbeat"]
        }
        #expect(outcome.failure == nil)
        #expect(outcome.output == "50.10\n")
    }

    @Test("A recording has whole messages")
    func recording() throws {
        try withFile([]) { path in
            let outcome = try run(".price", on: ["heartbeat", #"{"price": 1}"#]) { $0.transcript.recordPath = path }
            #expect(outcome.output == "1\n")
            let recorded = String(decoding: try File.read(path), as: UTF8.self)
            #expect(recorded.contains(#""data":"heartbeat""#) && recorded.contains(#""data":"{\"price\": 1}""#))
        }
    }

    @Test("Replies are matched by the whole message, and their value is written")
    func replies() throws {
        let outcome = try run(".result", on: [#"{"id":9}"#, #"{"id":7,"result":"ok"}"#]) {
            $0.replies.correlation = Correlation("id")
            $0.messages.texts = [#"{"id":7}"#]
            $0.ending.linger = .idle(.zero)
        }
        #expect(outcome.failure == nil)
        #expect(outcome.output == "ok\n")
    }
}
