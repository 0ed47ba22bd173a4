/// A case: what to send to a peer, and which answers are right.
package struct Case: Sendable {
    /// Such as `7.1.3`.
    package let id: String
    /// A sentence without a period.
    package let title: String
    /// The place in an RFC: `6455 §5.2`.
    package internal(set) var reference: String
    /// What a failure means for users.
    package internal(set) var consequence: String
    /// The role of the peers that the case is for, or `nil` for both.
    package internal(set) var role: PeerRole?
    /// The name of the ``Control``, or `nil` for a ping and its pong.
    package internal(set) var control: String?
    /// The extensions in our request.
    package internal(set) var offer: String?
    /// The extensions in our response: the first one that the client's offer permits.
    var answers: [String] = []
    var flags: Set<Flag> = []
    /// Its lines, with the values of its row.
    var source: [String] = []
    var head: [HeadChange] = []
    /// The payload of our first SETTINGS frame of HTTP/2, after what it has in any case.
    package internal(set) var settings: [UInt8] = []
    var steps: [Step] = []
    /// In the order in which they are tried.
    package internal(set) var outcomes: [Outcome] = []

    /// What differs from other cases, as written in the case.
    enum Flag: String {
        /// Pings and close frames of the peer stay without an answer.
        case silent
        /// The steps do not wait for the response to the handshake.
        case early
        /// The keys of a client's requests and frames must be new (RFC 6455 §4.1, §5.3).
        case fresh
    }

    /// Whether the case is for connections of HTTP/2.
    package var isForHTTP2: Bool {
        section == "T" || !settings.isEmpty || steps.contains { if case .http2 = $0 { true } else { false } }
    }

    /// Whether the case is about the handshake of HTTP/1.1.
    package var isForHTTP1: Bool { !isForHTTP2 && (section == "H" || !head.isEmpty) }

    /// Whether the peer must fail the connection, so that the case needs a control.
    package var isNegative: Bool { !outcomes.contains { $0.verdict == .passed && $0.ending.isOrderly } }

    /// Whether only an echo shows that the peer is right.
    package var needsEcho: Bool {
        let exchanges = steps.contains { if case .exchange = $0 { true } else { false } }
        let passing = outcomes.filter { $0.verdict == .passed }
        return exchanges
            || passing.allSatisfy { outcome in
                outcome.ending.isOrderly && outcome.events?.isEmpty == false
                    && outcome.events?.allSatisfy(\.isData) == true
            }
    }

    /// Whether an outcome names the payload of a pong.
    var expectsOtherPongs: Bool {
        outcomes.contains { outcome in
            outcome.events?.contains { if case .pongWith = $0 { true } else { false } } ?? false
        }
    }

    /// The kinds of messages that the steps send.
    package var messageKinds: Set<DataKind> {
        var kinds: Set<DataKind> = []
        for case .send(let frames) in steps where frames.beginsMessage {
            kinds.insert(frames.opcode == Opcode.text ? .text : .binary)
            if !frames.isFinal || frames.fragmentBytes != nil { kinds.insert(.fragments) }
        }
        return kinds
    }

    /// Whether the case needs permessage-deflate.
    package var needsCompression: Bool { offer != nil || !answers.isEmpty }

    /// The case in words: its lines as they are in the file, the place in the RFC, and the consequence.
    package var explanation: String {
        "\(id) \(title)\n\n" + source.map { "  \($0)\n" }.joined() + "\nRFC \(reference)\n"
            + (consequence.isEmpty ? "" : consequence + "\n")
    }

    /// The digits or the letter before the first point of the id.
    package var section: String { String(id.prefix { $0 != "." }) }
}

/// Messages that a server may not want.
package enum DataKind: String, Sendable, CaseIterable {
    case text
    case binary
    /// In more than one frame.
    case fragments
}

/// The role of the peer under test.
package enum PeerRole: String, Sendable {
    case server
    case client
}

/// Valid steps, after which the connection must still be open.
package struct Control: Sendable {
    package let name: String
    var steps: [Step] = []
}

/// A step of a case.
enum Step: Sendable {
    case send(Frames)
    case bytes(Payload, Pieces)
    /// A frame of HTTP/2 on our stream, or, with the stream 0, on the connection.
    case http2(HTTP2Frame)
    /// A number of messages, each after the echo of the one before.
    case exchange(count: Int, Frames)
    /// A ping, and its pong.
    case sync
    case await(Awaited)
    case pause
    /// Ends our side of the stream.
    case shutdown
    /// Closes the stream.
    case drop
    case stopReading
    case startReading

    enum Awaited: String {
        case echo
        case pong
        case close
        /// The end of the connection, which the case survives if it does not come.
        case failure = "fail"
        /// The acknowledgements of all settings and pings of HTTP/2.
        case acknowledgements = "ack"
    }
}

/// How bytes are divided into writes.
struct Pieces: Equatable, Sendable {
    /// The size of each write in bytes, or `nil` for as few writes as possible.
    var byteCount: Int?
    /// Whether nothing else is in the same write.
    var isAlone = false
}

/// One or more frames with one payload.
struct Frames: Sendable {
    var opcode: UInt8
    var payload = Payload()
    var isFinal = true
    /// RSV1 to RSV3, in bits 6 to 4.
    var reservedBits: UInt8 = 0
    var masking = Masking.byRole
    /// The announced length, or `nil` for that of the payload.
    var announcedCount: Int?
    var lengthForm = LengthForm.shortest
    var isCompressed = false
    /// The size of a fragment in bytes, or `nil` for one frame.
    var fragmentBytes: Int?
    /// How many times the frames are sent.
    var repetitions = 1
    var pieces = Pieces()

    enum Masking: Sendable {
        case byRole
        /// A client's frame without mask, or a server's with one.
        case wrong
        case zero
    }

    enum LengthForm: Sendable {
        case shortest
        case bits16
        case bits64
        /// 64 bits, of which the first is 1.
        case topBit
    }

    /// Whether this begins a message that a peer can echo.
    var beginsMessage: Bool { opcode == Opcode.text || opcode == Opcode.binary }
}

/// The opcodes of RFC 6455 §5.2.
enum Opcode {
    static let continuation: UInt8 = 0
    static let text: UInt8 = 1
    static let binary: UInt8 = 2
    static let close: UInt8 = 8
    static let ping: UInt8 = 9
    static let pong: UInt8 = 10

    static func isControl(_ opcode: UInt8) -> Bool { opcode >= close }

    static let names = [
        "continuation": continuation, "text": text, "binary": binary, "close": close, "ping": ping, "pong": pong,
    ]

    static func name(_ opcode: UInt8) -> String { names.first { $0.value == opcode }?.key ?? "opcode \(opcode)" }
}

/// A change of our request or response.
enum HeadChange: Sendable {
    case method(String)
    case version(String)
    case status(String)
    case target(String)
    case set(name: String, value: [UInt8])
    case add(name: String, value: [UInt8])
    case drop(name: String)
    case raw([UInt8])
    case pieces(Int)
    case body(Payload)
}

/// The verdict of a case.
package enum Verdict: String, Sendable, CaseIterable {
    case passed
    /// A SHOULD is missed, or a MUST met late.
    case nonStrict = "non-strict"
    /// The RFC leaves it open.
    case informational
    case failed
    case skipped
}

/// A result that a case accepts.
package struct Outcome: Sendable {
    package let verdict: Verdict
    /// As written in the case.
    package let text: String
    /// Whether it applies only after an awaited failure has not come in time.
    let isLate: Bool
    /// `nil` for any events.
    let events: [ExpectedEvent]?
    let ending: Ending
}

/// What a peer is to send.
enum ExpectedEvent: Equatable, Sendable {
    /// The next message that we sent.
    case echo
    /// All further messages that we sent.
    case echoes
    /// The payload of the next ping.
    case pong
    /// The payloads of all further pings.
    case pongs
    case message(opcode: UInt8, [UInt8])
    case pongWith([UInt8])

    var isData: Bool {
        switch self {
        case .echo, .echoes, .message: true
        case .pong, .pongs, .pongWith: false
        }
    }
}

/// How a connection ends.
enum Ending: Sendable {
    /// We close, and the peer answers.
    case closes
    /// The peer fails the connection, with one of these codes (any if empty).
    case fails([UInt16], exactly: Bool, orDrops: Bool)
    /// The peer answers our close frame with one of these codes; 1005 stands for none.
    case answers([UInt16], orDrops: Bool)
    case ends
    /// The server does not open the WebSocket.
    case refuses([Int], orDrops: Bool, [HeadCondition])
    case opens([HeadCondition])
    /// The peer ends the stream of HTTP/2, or the connection, with one of these errors (any if empty).
    case resets([UInt32], endsConnection: Bool, orDrops: Bool)

    /// Whether the connection works.
    var isOrderly: Bool {
        switch self {
        case .closes, .answers, .opens, .ends: true
        case .fails, .refuses, .resets: false
        }
    }
}

/// A field that a response must have, or must not have.
struct HeadCondition: Sendable {
    let name: String
    /// `nil` for any value.
    var value: String?
    var isPresent = true
}
