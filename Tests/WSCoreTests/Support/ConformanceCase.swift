import Testing
import WSCore

/// A case of the Autobahn TestSuite: what the suite sends to an end that echoes, and what has to come back.
struct ConformanceCase: Sendable, CustomTestStringConvertible {
    /// How the connection ends.
    enum Ending: Sendable {
        /// The suite closes with 1000 at last, which is answered.
        case clean
        /// The suite's close frame is among its frames, and is answered with this code; nil: with none.
        case closed(UInt16?)
        /// The connection is failed for this violation, with this code.
        case violation(ProtocolError, UInt16)
    }

    /// The number that the suite's reports use.
    let number: String
    /// What the suite sends, as a server would: without masking.
    let frames: [[UInt8]]
    /// What comes back before the close frame, as a server would send it.
    let answers: [[UInt8]]
    let ending: Ending
    /// The bytes of each write of the suite's; nil: any.
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

    /// A case in which what the suite sends comes back.
    init(_ number: String, echoing frames: [[UInt8]], chopBytes: Int? = nil) {
        self.init(number, frames, answers: frames, chopBytes: chopBytes)
    }

    var testDescription: String { number }

    /// Expects that an end of `role` that echoes does as the suite expects, however the bytes arrive.
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
            #expect(error.closeCode.rawValue == code, sourceLocation: sourceLocation)
            last = closeFrame(code, error.description)
            end.error = error
        }
        end.sent = wire(answers + [last], sentBy: role)
        return end
    }
}

/// What has become of a session that echoes.
struct EchoEnd: Equatable, CustomStringConvertible {
    /// All that it has sent.
    var sent: [UInt8] = []
    /// The violation that it has reported.
    var error: ProtocolError?
    /// Whether it has answered the peer's close frame.
    var isClosedCleanly = false

    /// What becomes of a session that receives `chunks` one after the other, those after a violation too.
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
        end.sent = contents(of: session.outbox.bytes)
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

/// The ways in which many bytes may arrive: whole, in pieces of odd sizes, and split around the first frame's header.
private func longFeedings(of bytes: [UInt8]) -> [[ArraySlice<UInt8>]] {
    [[bytes[...]], chops(of: bytes, 1301), chops(of: bytes, 65_536)] + (1..<20).map { [bytes[..<$0], bytes[$0...]] }
}

/// The bytes in pieces of `count`, the last of which may be shorter.
func chops(of bytes: [UInt8], _ count: Int) -> [ArraySlice<UInt8>] {
    stride(from: 0, to: bytes.count, by: count).map { bytes[$0..<min($0 + count, bytes.count)] }
}

/// A message in frames of at most `fragmentBytes`, not masked.
func fragments(_ kind: MessageKind, _ payload: [UInt8], of fragmentBytes: Int) -> [[UInt8]] {
    let pieces = payload.isEmpty ? [[]] : chops(of: payload, fragmentBytes)
    return pieces.enumerated().map { index, piece in
        let opcode: UInt8 = index > 0 ? 0 : kind == .text ? 1 : 2
        return frame(opcode | (index == pieces.count - 1 ? 0x80 : 0), Array(piece))
    }
}
