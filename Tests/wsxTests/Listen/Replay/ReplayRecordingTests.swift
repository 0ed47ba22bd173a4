import Testing
import WSCore

@testable import Listen
@testable import Peer
@testable import UserInterface

@Suite struct ReplayRecordingTests {
    private static let session = """
        {"type":"recording","time":"2026-01-01T00:00:00Z"}
        {"type":"open","time":"2026-01-01T00:00:01Z"}
        {"type":"message","time":"2026-01-01T00:00:03Z","direction":"in","data":"welcome"}
        {"type":"ping","time":"2026-01-01T00:00:03Z","direction":"in","data":"p"}
        {"type":"message","time":"2026-01-01T00:00:10Z","direction":"out","data":"a"}
        {"type":"message","time":"2026-01-01T00:00:11Z","direction":"in","base64":"AAH/"}
        {"type":"pong","time":"2026-01-01T00:00:11Z","direction":"in","data":""}

        {"type":"message","time":"2026-01-01T00:00:12Z","direction":"out","data":"b"}
        {"type":"close","time":"2026-01-01T00:00:13Z","direction":"in","code":4001,"reason":"bye"}
        {"type":"message","time":"2026-01-01T00:00:14Z","direction":"in","data":"after the end"}
        {"type":"open","time":"2026-01-01T00:00:20Z"}
        {"type":"message","time":"2026-01-01T00:00:21Z","direction":"in","data":"again"}
        {"type":"close","time":"2026-01-01T00:00:22Z","direction":"out","code":1000,"reason":""}
        {"type":"close","time":"2026-01-01T00:00:22Z","direction":"in","code":1000,"reason":""}
        """

    @Test("In a client's recording, incoming messages answer outgoing ones, per connection")
    func client() throws {
        try withRecording(Self.session) { recording in
            #expect(
                Self.replies(of: recording.conversation(ofClient: 1)) == [
                    ["text welcome", "ping p"], ["binary 0,1,255"], ["close 4001 bye"],
                ])
            // The client's own close frame is not replayed, nor is the server's answer to it.
            #expect(Self.replies(of: recording.conversation(ofClient: 2)) == [["text again"]])
            #expect(Self.replies(of: recording.conversation(ofClient: 3)).count == 3)
        }
    }

    @Test("In a server's recording, outgoing messages answer incoming ones, per client")
    func server() throws {
        let lines = """
            {"type":"listening","port":1}
            {"type":"open","client":1}
            {"type":"open","client":2}
            {"type":"message","direction":"in","data":"one","client":1}
            {"type":"message","direction":"in","data":"two","client":2}
            {"type":"message","direction":"out","data":"to one","client":1}
            {"type":"message","direction":"out","data":"to all"}
            {"type":"message","direction":"out","data":"to two","client":2}
            {"type":"close","direction":"out","code":1012,"reason":"","client":2}
            {"type":"close","direction":"in","code":1000,"reason":"","client":1}
            """
        try withRecording(lines) { recording in
            #expect(Self.replies(of: recording.conversation(ofClient: 1)) == [[], ["text to one", "text to all"]])
            #expect(
                Self.replies(of: recording.conversation(ofClient: 2)) == [
                    [], ["text to all", "text to two", "close 1012 "],
                ])
        }
    }

    @Test("Pauses count from the request, divided by the speed")
    func pauses() throws {
        for (speed, expected) in [
            (ReplaySpeed.max, [0, 0, 0, 0]), (.factor(1), [2000, 2000, 1000, 1000]),
            (.factor(2), [1000, 1000, 500, 500]),
        ] {
            try withRecording(Self.session, speed: speed) { recording in
                let exchanges = recording.conversation(ofClient: 1).exchanges
                #expect(exchanges.flatMap(\.replies).map(\.pause) == expected.map { .milliseconds($0) })
            }
        }
    }

    @Test("An invalid event is reported with its line, and a file without server messages is rejected")
    func problems() throws {
        let out = #"{"type":"message","direction":"out","data":"x"}"#
        for (lines, why) in [
            ("\n{}", ", line 2: it has no 'type'"),
            (#"{"type":"message","data":"x"}"#, ", line 1: it has no 'direction'"),
            (out + "\r\n" + #"{"type":7}"# + "\nx", ", line 2: its 'type' is not a string"),
            ("", ": it is empty; make a recording with 'wsx connect --record FILE'"),
            ("\n", ": it contains no messages from a server; make a recording with 'wsx connect --record FILE'"),
            (out, ": it contains no messages from a server; make a recording with 'wsx connect --record FILE'"),
        ] {
            try withFile(Array(lines.utf8)) { path in
                expectMessage("--replay \(path)\(why)") {
                    () throws(Failure) in _ = try ReplayRecording(contentsOf: path, speed: .max)
                }
            }
        }
        for cut in [Array(#"{"type":"message","da"#.utf8), Array(#"{"data":""#.utf8) + [0xC3]] {
            try withFile(Array((out + "\n").utf8) + cut) { path in
                expectMessage(
                    "--replay \(path), line 2: the recording ends in the middle of this line; "
                        + "delete the line to replay the rest"
                ) { () throws(Failure) in _ = try ReplayRecording(contentsOf: path, speed: .max) }
            }
        }
        expectMessage("--replay /nowhere: no such file or directory; check the path") {
            () throws(Failure) in _ = try ReplayRecording(contentsOf: "/nowhere", speed: .max)
        }
    }

    private func withRecording(
        _ lines: String, speed: ReplaySpeed = .max, _ body: (ReplayRecording) throws -> Void
    ) throws {
        try withFile(Array(lines.utf8)) { path in
            try body(try ReplayRecording(contentsOf: path, speed: speed))
        }
    }

    private static func replies(of conversation: ReplayConversation) -> [[String]] {
        conversation.exchanges.indices.map { exchange in
            var words: [String] = []
            let record: (ReplayConversation.Reply, RawSpan) -> Void = { reply, payload in
                let bytes = payload.withUnsafeBytes { Array($0) }
                let text = String(decoding: bytes, as: UTF8.self)
                switch reply.item {
                case .message(.text): words.append("text \(text)")
                case .message(.binary): words.append("binary \(bytes.map(String.init).joined(separator: ","))")
                case .ping: words.append("ping \(text)")
                case .pong: words.append("pong \(text)")
                case .close(let frame), .end(let frame as CloseFrame?):
                    words.append("close \(frame?.code?.rawValue ?? 0) \(frame?.reason ?? "")")
                }
            }
            var index = 0
            while conversation.withReply(index, of: exchange, record) { index += 1 }
            return words
        }
    }
}
