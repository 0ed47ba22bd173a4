import SessionSupport
import TestSupport
import Testing
import WSCore

/// The outcome of feeding bytes to a session.
struct Outcome: Equatable {
    /// The events delivered to the handler.
    var events: [Event] = []
    /// The violation reported, if any.
    var error: ProtocolError?
    /// The contents of the outbox.
    var sent: [UInt8] = []
}

/// Splits an input: not at all, into single bytes, in two at every offset, and short inputs in three at every pair of
/// offsets. Long inputs are split in two only around both ends and at some offsets between.
func feedings(of bytes: [UInt8]) -> [[ArraySlice<UInt8>]] {
    let count = bytes.count
    var feedings: [[ArraySlice<UInt8>]] = [[bytes[...]], bytes.indices.map { bytes[$0...$0] }]
    for point in 0...count where count <= 300 || point < 20 || point > count - 20 || point % (count / 8) == 0 {
        feedings.append([bytes[..<point], bytes[point...]])
    }
    guard count <= 16 else { return feedings }
    for first in 0...count {
        for second in first...count { feedings.append([bytes[..<first], bytes[first..<second], bytes[second...]]) }
    }
    return feedings
}

/// Splits bytes into pieces of `count` bytes. The last may be shorter.
func chops(of bytes: [UInt8], _ count: Int) -> [ArraySlice<UInt8>] {
    stride(from: 0, to: bytes.count, by: count).map { bytes[$0..<min($0 + count, bytes.count)] }
}

extension Session {
    /// Feeds a copy of `bytes` to the session until the handler has taken everything.
    mutating func receive<Handler: SessionHandler>(
        _ bytes: some Sequence<UInt8>, handler: inout Handler
    ) throws(ProtocolError) {
        var copy = Array(bytes)
        var span = copy.mutableSpan
        var raw = span.mutableBytes
        var offset = 0
        repeat {
            var rest = raw._mutatingExtracting(offset..<raw.byteCount)
            offset += try receive(&rest, handler: &handler)
        } while offset < raw.byteCount
    }
}

/// Feeds `chunks` to a session, continuing after a violation.
func outcome(of chunks: [ArraySlice<UInt8>], receivedBy role: Role, limits: Limits) -> Outcome {
    var session = Session(role: role, limits: limits, maskingKeys: countingKeys())
    var handler = RecordingHandler()
    // This must make no difference, so half of the inputs use either value.
    handler.takesSingleFrames = (chunks.first?.count ?? 0) % 2 == 1
    var outcome = Outcome()
    for chunk in chunks {
        do throws(ProtocolError) {
            try session.receive(chunk, handler: &handler)
        } catch {
            if let earlier = outcome.error { Issue.record("\(error) was reported after \(earlier)") }
            outcome.error = error
        }
    }
    outcome.events = handler.events
    outcome.sent = takeContents(of: &session.outbox)
    return outcome
}

/// Expects sessions of both roles to deliver `events` and send `answers`, however the frames arrive.
/// - Parameters:
///   - frames: The peer's frames, unmasked as sent by a server.
///   - events: The expected events.
///   - answers: The expected output, unmasked as sent by a server.
func expectReceived(
    _ frames: [[UInt8]], limits: Limits = .client, events: [Event], error: ProtocolError? = nil,
    answers: [[UInt8]] = [], sourceLocation: SourceLocation = #_sourceLocation
) {
    for role in Role.allCases {
        let expected = Outcome(events: events, error: error, sent: wire(answers, sentBy: role))
        for chunks in feedings(of: wire(frames, receivedBy: role)) {
            let actual = outcome(of: chunks, receivedBy: role, limits: limits)
            guard actual != expected else { continue }
            let sizes = chunks.count > 4 ? "single bytes" : "chunks of \(chunks.map(\.count))"
            Issue.record(
                "\(role), \(sizes): got \(brief(actual)), not \(brief(expected))", sourceLocation: sourceLocation)
            break
        }
    }
}

/// Expects sessions of both roles to report `error` and send its close frame, however the frames arrive.
/// - Parameters:
///   - frames: The peer's frames, unmasked as sent by a server.
///   - error: The expected violation.
///   - code: The expected close code.
///   - reason: The expected reason in the close frame.
///   - events: The events expected before the violation.
///   - answers: The output expected before the close frame.
func expectViolation(
    _ frames: [[UInt8]], limits: Limits = .client, _ error: ProtocolError, code: UInt16, reason: String,
    events: [Event] = [], answers: [[UInt8]] = [], sourceLocation: SourceLocation = #_sourceLocation
) {
    expectEqual(error.closeCode.rawValue, code, sourceLocation: sourceLocation)
    expectReceived(
        frames, limits: limits, events: events, error: error, answers: answers + [closeFrame(code, reason)],
        sourceLocation: sourceLocation)
}

private func brief(_ outcome: Outcome) -> String {
    let text = "\(outcome)"
    return text.count <= 1000 ? text : "\(text.prefix(1000))…"
}
