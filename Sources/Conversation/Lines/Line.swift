import WSCore

/// A message of a user: given on the command line, read from the input, or typed.
package struct Line: Equatable {
    /// Where a line comes from.
    package enum Origin: Equatable, Sendable {
        /// The input or the prompt.
        case input
        /// The command line. Each connection begins with these messages.
        case operand
        /// The session of the protocol, which begins each connection with it, such as a subscription. The payload is its
        /// topic.
        case renewal
    }

    /// What has happened to a line before.
    package enum Past: Equatable, Sendable {
        case new
        /// It had to wait.
        case waited
        /// It was sent on an earlier connection. It may now be invalid, for example if the session has renewed the
        /// subscription for which it asks.
        case sent
    }

    /// What is made of the payload when the line is sent, and its name in error messages.
    package enum Draft: Equatable, Sendable {
        /// The placeholders of the text are replaced.
        case template(String)
        /// The message is the text of `--wrap` around the payload.
        case piece(String)

        package var name: String {
            switch self {
            case .template(let name), .piece(let name): name
            }
        }
    }

    /// The position among the lines of a run with requests, or among the messages of the command line, from 1. 0 for other
    /// lines, which no reply is matched to.
    package let number: Int
    package internal(set) var payload: [UInt8]
    package let kind: MessageKind
    package let origin: Origin
    package internal(set) var past: Past
    /// `nil`: the payload is final.
    package internal(set) var draft: Draft?

    /// Creates a line.
    package init(
        _ payload: [UInt8], as kind: MessageKind, number: Int = 0, from origin: Origin = .input, past: Past = .new,
        draft: Draft? = nil
    ) {
        self.number = number
        self.payload = payload
        self.kind = kind
        self.origin = origin
        self.past = past
        self.draft = draft
    }

    /// What the line has in common on all connections: the text of a message of the command line may differ. No text begins
    /// like the number of one.
    var identity: [UInt8] { origin == .operand ? [0xFF] + Array("\(number)".utf8) : payload }
    /// Whether the line was sent on an earlier connection.
    package var wasSent: Bool { past == .sent }
    /// Whether each connection begins with the line.
    var beginsConnections: Bool { origin != .input }

    /// The same line without placeholders.
    package func finished(_ payload: [UInt8]) -> Line {
        Line(payload, as: kind, number: number, from: origin, past: past)
    }

    func numbered(_ number: Int) -> Line { Line(payload, as: kind, number: number, from: origin, past: past) }

    /// The line after it was sent on a connection that has ended.
    func sent(as origin: Origin, number: Int) -> Line {
        Line(payload, as: kind, number: number, from: origin, past: .sent)
    }
}

/// What becomes of a line that was given to a connection.
package struct LineReceipt: Equatable {
    /// The key of the reply in an application protocol, or `nil` if there will be none.
    package let key: ProtocolEvent.ReplyKey?
    package let confirmation: LineConfirmation
    /// The session's number of the line, if it waits for its subscription. `nil`: it was sent.
    package let heldNumber: Int?
    /// Whether the session begins each connection with what the line asks for, so it must not be sent again.
    package let isRenewed: Bool

    /// Describes a line; by default, one that was sent without an application protocol.
    package init(
        key: ProtocolEvent.ReplyKey? = nil, confirmedBy confirmation: LineConfirmation = .pong, heldNumber: Int? = nil,
        isRenewed: Bool = false
    ) {
        self.key = key
        self.confirmation = confirmation
        self.heldNumber = heldNumber
        self.isRenewed = isRenewed
    }
}
