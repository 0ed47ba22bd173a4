import SessionSupport
import TestSupport
import Testing
import WSCore

/// A case of the Autobahn TestSuite: the frames the suite sends to an echo endpoint, and the expected answers.
struct ConformanceCase: Sendable, CustomTestStringConvertible {
    /// The expected end of the connection.
    enum Ending: Sendable {
        /// The suite closes with 1000, which is echoed.
        case clean
        /// The suite's frames include a close frame, which is answered with this code, or without a code if nil.
        case closed(UInt16?)
        /// The connection fails because of this violation, with this close code.
        case violation(ProtocolError, UInt16)
    }

    /// The case number in the suite's reports.
    let number: String
    /// The suite's frames, unmasked as sent by a server.
    let frames: [[UInt8]]
    /// The expected answers before the close frame, unmasked as sent by a server.
    let answers: [[UInt8]]
    let ending: Ending
    /// The size of the suite's writes in bytes; nil for any.
    let chopBytes: Int?

    init(
        _ number: String, _ frames: [[UInt8]], answers: [[UInt8]] = [], _ ending: Ending = .clean,
        chopBytes: Int? = nil
    ) {
        self.number = number
        self.frames = frames
        self.answers = answers
        self.ending = ending
        self.chopBytes = chopBytes
    }

    /// A case in which the suite's frames are echoed.
    init(_ number: String, echoing frames: [[UInt8]], chopBytes: Int? = nil) {
        self.init(number, frames, answers: frames, chopBytes: chopBytes)
    }

    var testDescription: String { number }

    /// Expects an echo endpoint of `role` to behave as the suite expects, however the bytes arrive.
    func expectConformance(of role: Role, sourceLocation: SourceLocation = #_sourceLocation) {
        let received = wire(isClosedAtLast ? frames + [closeFrame(1000)] : frames, receivedBy: role)
        let expected = expectedEnd(of: role, sourceLocation: sourceLocation)
        var ways = received.count <= 2000 ? feedings(of: received) : longFeedings(of: received)
        if let chopBytes { ways.append(chops(of: received, chopBytes)) }
        for chunks in ways {
            let actual = EchoEnd.after(chunks, role: role)
            guard actual != expected else { continue }
            Issue.record(
                "\(number), \(role), \(chunks.count) chunks: got \(actual), not \(expected)",
                sourceLocation: sourceLocation)
            break
        }
    }

    private var isClosedAtLast: Bool {
        if case .clean = ending { true } else { false }
    }

    private func expectedEnd(of role: Role, sourceLocation: SourceLocation) -> EchoEnd {
        var end = EchoEnd()
        let last: [UInt8]
        switch ending {
        case .clean:
            last = closeFrame(1000)
            end.isClosedCleanly = true
        case .closed(let code):
            last = code.map { closeFrame($0) } ?? frame(0x88)
            end.isClosedCleanly = true
        case .violation(let error, let code):
            expectEqual(error.closeCode.rawValue, code, sourceLocation: sourceLocation)
            last = closeFrame(code, error.description)
            end.error = error
        }
        end.sent = wire(answers + [last], sentBy: role)
        return end
    }
}

/// The state of an echoing session after its input.
struct EchoEnd: Equatable, CustomStringConvertible {
    /// All bytes sent.
    var sent: [UInt8] = []
    /// The violation reported, if any.
    var error: ProtocolError?
    /// Whether the session has answered the peer's close frame.
    var isClosedCleanly = false

    /// Feeds `chunks` to a session, continuing after a violation.
    static func after(_ chunks: [ArraySlice<UInt8>], role: Role) -> EchoEnd {
        var session = Session(
            role: role, limits: role == .client ? .client : .server, maskingKeys: countingKeys())
        var handler = EchoHandler()
        var end = EchoEnd()
        for chunk in chunks {
            do throws(ProtocolError) {
                try session.receive(chunk, handler: &handler)
            } catch {
                if let earlier = end.error { Issue.record("\(error) was reported after \(earlier)") }
                end.error = error
            }
        }
        end.sent = takeContents(of: &session.outbox)
        let closing = session.closing
        end.isClosedCleanly = closing.isComplete && !closing.wasStartedHere
        return end
    }

    var description: String {
        let bytes = sent.count > 200 ? "\(sent.count) bytes that begin with \(Array(sent.prefix(200)))" : "\(sent)"
        return
            "\(error.map { "\($0)" } ?? "no violation"), closed \(isClosedCleanly ? "cleanly" : "otherwise"), \(bytes)"
    }
}

/// Splits a long input: not at all, into pieces of odd sizes, and in two around the first frame's header.
private func longFeedings(of bytes: [UInt8]) -> [[ArraySlice<UInt8>]] {
    [[bytes[...]], chops(of: bytes, 1301), chops(of: bytes, 65_536)] + (1..<20).map { [bytes[..<$0], bytes[$0...]] }
}

/// Splits bytes into pieces of `count` bytes. The last may be shorter.
func chops(of bytes: [UInt8], _ count: Int) -> [ArraySlice<UInt8>] {
    stride(from: 0, to: bytes.count, by: count).map { bytes[$0..<min($0 + count, bytes.count)] }
}

/// Splits a message into unmasked frames with payloads of at most `fragmentBytes`.
func fragments(_ kind: MessageKind, _ payload: [UInt8], of fragmentBytes: Int) -> [[UInt8]] {
    let pieces = payload.isEmpty ? [[]] : chops(of: payload, fragmentBytes)
    return pieces.enumerated().map { index, piece in
        let opcode: UInt8 = index > 0 ? 0 : kind == .text ? 1 : 2
        return frame(opcode | (index == pieces.count - 1 ? 0x80 : 0), Array(piece))
    }
}
