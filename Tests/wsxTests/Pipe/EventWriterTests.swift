import Conversation
import Testing
import WSCore

@testable import Peer
@testable import UserInterface

@Suite struct EventWriterTests {
    @Test("Each written event is parsed to an equal event")
    func roundTrip() throws {
        let payloads: [(bytes: [UInt8], kind: MessageKind)] = [
            ([], .text), ([], .binary), (Array("he said \"é🎈\"\n\u{202E}\0".utf8), .text), (Array(0...255), .binary),
            (Array("plain".utf8), .binary),
        ]
        let lines = try Self.lines { events in
            for (bytes, kind) in payloads {
                bytes.withUnsafeBytes { events.writeMessage($0.bytes, as: kind, .outgoing) }
                bytes.prefix(125).withUnsafeBytes { events.writeControl(.pong, $0.bytes, roundTrip: .seconds(1)) }
            }
            events.writeClose(sent: CloseFrame(code: .goingAway, reason: "\"bye\"\n"))
            events.writeClose(sent: CloseFrame(code: nil))
            events.writeClose(ConnectionEnd(closing: ClosingHandshake()))
        }
        let expected: [(InputItem, [UInt8], EventDirection)] =
            payloads.flatMap { bytes, kind in
                [(.message(kind), bytes, .outgoing), (.pong, Array(bytes.prefix(125)), .incoming)]
            } + [
                (.close(CloseFrame(code: .goingAway, reason: "\"bye\"\n")), [], .outgoing),
                (.close(CloseFrame(code: nil)), [], .outgoing), (.close(nil), [], .incoming),
            ]
        try #require(lines.count == expected.count)
        for (line, (item, bytes, direction)) in zip(lines, expected) {
            var reader = EventReader(readsTimes: true)
            let event = try Array(line.utf8).withUnsafeBytes { try reader.read($0.bytes) }
            #expect(event.kind == .item(item), "\(line)")
            #expect(event.direction == direction, "\(line)")
            #expect(event.time != nil, "\(line)")
            #expect(reader.withPayload { payload in payload.withUnsafeBytes { Array($0) } } == bytes, "\(line)")
        }
    }

    @Test("Informational events are parsed, too, and the client is included")
    func reports() throws {
        let lines = try Self.lines { events in
            events.write("recording") { _ in }
            events.writeOpen(url: "ws://h/", subprotocol: "chat", extensions: [], version: .http2, client: 3)
            events.writeFailure(.lost(nil), client: 4)
        }
        let kinds = try lines.map { line in
            var reader = EventReader()
            let event = try Array(line.utf8).withUnsafeBytes { try reader.read($0.bytes) }
            return (event.kind, event.client)
        }
        #expect(kinds.map(\.0) == [.recording, .open, .report])
        #expect(kinds.map(\.1) == [nil, 3, 4])
    }

    @Test("A message for several clients is one event for each of them")
    func severalClients() throws {
        let payload = Array("\"hello\"".utf8).span.bytes
        let lines = try Self.lines { events in
            events.writeMessage(payload, as: .text, toClients: [3, 12])
            for client in [3, 12] { events.writeMessage(payload, as: .text, .outgoing, client: client) }
        }
        #expect(lines.count == 4)
        #expect(lines.prefix(2) == lines.suffix(2))
    }

    @Test("A decoded message is a binary message with text and its codecs; bytes is the received size")
    func decoded() throws {
        let payload = Array(#"{"a":1}"#.utf8)
        let bytes: [UInt8] = [0x81, 0xA1, 0x61]
        let lines = try Self.lines { events in
            let decoding = Decoding(result: .decoded(by: "gzip+msgpack"), byteCount: 24)
            events.writeMessage(payload.span.bytes, decoding, client: nil, reply: nil)
            let failure = Decoding(result: .failed("msgpack: the data is incomplete"), byteCount: 3)
            events.writeMessage(bytes.span.bytes, failure, client: nil, reply: nil)
        }
        let fields = lines.map { line in line.drop { $0 != "," }.dropFirst().drop { $0 != "," } }
        #expect(
            fields == [
                #","direction":"in","opcode":"binary","bytes":24,"data":"{\"a\":1}","decoded":"gzip+msgpack"}"#,
                #","direction":"in","opcode":"binary","bytes":3,"base64":"gaFh","#
                    + #""decode_error":"msgpack: the data is incomplete"}"#,
            ])
    }

    @Test("The events of a turn have the same time")
    func time() throws {
        let lines = try Self.lines { events in
            for _ in 0..<100 { events.write("recording") { _ in } }
        }
        #expect(Set(lines).count == 1)
    }

    /// The lines written by `write`.
    private static func lines(_ write: (EventWriter) -> Void) throws -> [String] {
        var lines: [String] = []
        try withIdleLoop { loop in
            let writer = try DescriptorWriter(descriptor: StandardDescriptors.error, on: loop)
            write(EventWriter(writer, without: SecretRecord(), on: loop))
            lines = text(of: writer.buffer).split(separator: "\n").map(String.init)
            writer.close()
        }
        return lines
    }
}
