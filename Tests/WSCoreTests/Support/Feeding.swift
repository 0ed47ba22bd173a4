import Testing
import WSCore

/// What became of bytes that a session was given.
struct Outcome: Equatable {
    /// What the handler was told.
    var events: [Event] = []
    /// The violation that was reported.
    var error: ProtocolError?
    /// What waits in the outbox.
    var sent: [UInt8] = []
}

/// The ways in which bytes may arrive: whole, byte by byte, split in two at every point, and short ones in three
/// at every two points. Of long ones the splits are those around the ends and some between.
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

extension Session {
    /// Gives the session a copy of `bytes`, again and again what the handler does not take.
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

/// What becomes of `chunks`, given one after the other; those after a violation are given too.
func outcome(of chunks: [ArraySlice<UInt8>], receivedBy role: Role, limits: Limits) -> Outcome {
    var session = Session(role: role, limits: limits, maskingKeys: countingKeys())
    var handler = RecordingHandler()
    // It must make no difference; half of the ways to cut show both.
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
    outcome.sent = contents(of: session.outbox.bytes)
    return outcome
}

/// Expects that both roles, however the frames arrive, hand on `events` and send `answers`.
/// - Parameters:
///   - frames: What the peer sends, as a server would: without masking.
///   - events: What the handler is told.
///   - answers: What is put into the outbox, as a server would send it.
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

/// Expects that both roles, however the frames arrive, report `error` and send the close frame that says so.
/// - Parameters:
///   - frames: What the peer sends, as a server would: without masking.
///   - error: The violation.
///   - code: The close code.
///   - reason: The reason in the close frame.
///   - events: What the handler is told before.
///   - answers: What is put into the outbox before the close frame.
func expectViolation(
    _ frames: [[UInt8]], limits: Limits = .client, _ error: ProtocolError, code: UInt16, reason: String,
    events: [Event] = [], answers: [[UInt8]] = [], sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(error.closeCode.rawValue == code, sourceLocation: sourceLocation)
    expectReceived(
        frames, limits: limits, events: events, error: error, answers: answers + [closeFrame(code, reason)],
        sourceLocation: sourceLocation)
}

private func brief(_ outcome: Outcome) -> String {
    let text = "\(outcome)"
    return text.count <= 1000 ? text : "\(text.prefix(1000))…"
}
