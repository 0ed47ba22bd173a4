/// The result of a case.
package struct CaseResult: Sendable {
    package var verdict: Verdict
    /// How the connection ended, or `nil` if that was not judged.
    package var close: CloseVerdict?
    /// Why, without any text of the peer; empty if the case passed.
    package var reason: String
    /// The place in an RFC that the peer violated, if it is not that of the case.
    package var reference: String?
    /// The status with which a server refused the handshake, or `nil`.
    package internal(set) var refusalStatus: Int?
    /// Whether the WebSocket was open.
    package internal(set) var hasOpened = false
    /// Whether a time limit decided.
    package var metLimit = false
    /// What was sent and received.
    package var log = FrameLog()

    /// A case that was not played.
    package static func skipped(_ reason: String) -> CaseResult { CaseResult(verdict: .skipped, reason: reason) }

    /// A case whose connection could not be used.
    package static func failed(_ reason: String) -> CaseResult { CaseResult(verdict: .failed, reason: reason) }
}

/// How a connection ended.
package enum CloseVerdict: String, Sendable {
    case ok
    /// The peer's close frame has another code than the case permits.
    case wrongCode = "wrong-code"
    /// TCP ended without a close frame.
    case unclean
    /// A server did not end TCP after the closing handshake (RFC 6455 §7.1.1).
    case notEnded = "not-ended"
    /// The connection ended too early, or did not end.
    case failed
}

/// The first frames of a connection in both directions.
package struct FrameLog: Sendable {
    package struct Entry: Sendable {
        package let isSent: Bool
        /// Such as `text, more`, or `head` and `bytes`.
        package let kind: String
        package let byteCount: Int
        /// The first bytes of the payload.
        package internal(set) var payload: [UInt8]
    }

    package init() {}

    package private(set) var entries: [Entry] = []
    /// The number of entries that are not kept.
    package private(set) var omittedCount = 0

    private static let maximumCount = 40
    /// How much is kept of a payload, so that a secret in its shown beginning is found whole.
    private static let keptBytes = 4 << 10
    private static let shownBytes = 64

    mutating func add(isSent: Bool, _ kind: String, count: Int, payload: some Collection<UInt8>) {
        guard entries.count < Self.maximumCount else { return omittedCount += 1 }
        entries.append(
            Entry(isSent: isSent, kind: kind, byteCount: count, payload: Array(payload.prefix(Self.keptBytes))))
    }

    /// Whether the peer has sent no frame.
    package var lacksFrames: Bool { !entries.contains { !$0.isSent && $0.kind != "head" } }

    /// Adds bytes to the payload of the latest frame of the peer.
    mutating func extend(_ bytes: UnsafeRawBufferPointer) {
        guard omittedCount == 0, let last = entries.lastIndex(where: { !$0.isSent }) else { return }
        let room = min(Self.keptBytes, entries[last].byteCount) - entries[last].payload.count
        if room > 0 { entries[last].payload += bytes.prefix(room) }
    }

    /// Masks secrets, and keeps the beginning of each payload.
    package mutating func seal(_ masking: ([UInt8]) -> [UInt8]) {
        for index in entries.indices {
            entries[index].payload = Array(masking(entries[index].payload).prefix(Self.shownBytes))
        }
    }

    static func kind(_ head: FrameHead) -> String {
        var kind = Opcode.name(head.opcode)
        if !head.isFinal { kind += " more" }
        for (bit, name) in [(0x40, "rsv1"), (0x20, "rsv2"), (0x10, "rsv3")] where head.reservedBits & UInt8(bit) != 0 {
            kind += " " + name
        }
        return kind
    }
}
