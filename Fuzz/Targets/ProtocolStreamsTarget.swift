import Conversation
import WSCore

extension FuzzTarget {
    /// The protocols whose messages need not be whole.
    static let streamProtocols = ["stomp", "mqtt"]

    /// The bytes of a STOMP server in pieces, after the login.
    ///
    /// - Events do not depend on how the bytes are split.
    /// - All words are safe.
    static let stomp = FuzzTarget(name: "stomp") { input in
        checkStream(
            input, "stomp", opening: Array("CONNECTED\nversion:1.2\n\n\0".utf8), lines: ["SUBSCRIBE ack:client /a"])
    }

    /// The bytes of an MQTT server in pieces, after the login, with the properties of ``stomp``.
    static let mqtt = FuzzTarget(name: "mqtt") { input in
        checkStream(input, "mqtt", opening: [0x20, 2, 0, 0], lines: ["sub a b", "pub -q 1 c d", "unsub b"])
    }

    private static func checkStream(_ input: [UInt8], _ name: String, opening: [UInt8], lines: [String]) {
        let whole = events(of: [input[...]], name, opening: opening, lines: lines)
        for pieces in waysToCut(input) {
            expectEqual(events(of: pieces, name, opening: opening, lines: lines), whole, "cut and whole")
        }
    }

    /// The events before the first problem, after which the bytes have no defined meaning.
    private static func events(
        of pieces: [ArraySlice<UInt8>], _ name: String, opening: [UInt8], lines: [String]
    ) -> [ProtocolEvent] {
        var output = ProtocolOutput()
        var events: [ProtocolEvent] = []
        do {
            guard let session = try ApplicationProtocol(named: name)?.session(ProtocolParameters()) else { return [] }
            session.connectionOpened(subprotocol: nil, at: 0, &output)
            session.received(opening.span.bytes, as: .binary, at: 0, &output)
            for line in lines {
                _ = try session.send(Array(line.utf8).span.bytes, wantsReply: true, at: 0, &output)
            }
            output.removeAll()
            for piece in pieces {
                session.received(piece.span.bytes, as: .binary, at: 0, &output)
                for item in output.items {
                    switch item {
                    case .event(let event): events.append(event)
                    case .send, .ready, .lineWaits, .lineSent, .linesDropped, .renewed: break
                    case .failure(let words, _), .disconnect(let words), .lineRefused(let words), .close(_, let words),
                        .unknown(let words):
                        expectOneSafeLine(words)
                        return events
                    }
                }
                output.removeAll()
            }
            return events
        } catch {
            unexpected("\(error)")
        }
    }
}
