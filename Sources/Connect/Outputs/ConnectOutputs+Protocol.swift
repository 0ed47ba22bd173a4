import Conversation
import Formats
import Peer
import UserInterface
import WSCore

// The events of an application protocol.
extension ConnectOutputs {
    /// The maximum number of characters of a name and topic at the prompt, and of an error in a notice.
    private static let maximumCharacters = 200

    /// Writes or shows an event or a reply.
    /// - Parameters:
    ///   - reply: The request that it answers, or `nil` if it answers none.
    ///   - isPush: Whether it answers none of the requests of a run with requests.
    /// - Returns: Whether the event was written or shown, as opposed to omitted.
    func write(_ event: ProtocolEvent, reply: Reply?, isPush: Bool) -> Bool {
        let writer = isPush ? pushes ?? messages : messages
        if sharesTerminal { prompt?.editor.hideBriefly() }
        page?.events.writeMessage(event, of: protocolName ?? "", reply: reply)
        let isWritten = writer?.write(event, of: protocolName ?? "", reply: reply)
        guard let view else {
            if let judge {
                if messages == nil { show(unwritten: event.line.span.bytes, as: .text) }
                judge.received(event)
            }
            return isWritten ?? true
        }
        let role: Transcript.Role =
            if let reply {
                .reply(
                    to: requestMessages[reply.number], roundTrip: reply.roundTrip,
                    error: event.role.isError ? "error" : nil)
            } else { .plain }
        let heading = Self.text(event.heading)
        let isShown = event.payload.withUnsafeBytes { payload in
            !view.show(
                payload.bytes, as: event.isText ? .text : .binary, .received, heading: heading.isEmpty ? nil : heading,
                role: role
            ).isOmitted
        }
        return isWritten ?? isShown
    }

    /// Shows an event that is part of the protocol's own traffic, and does not count as a message: dimmed at the prompt,
    /// with `-v` elsewhere, and in JSON output. A refusal is an error.
    /// - Parameter isReported: Whether a failure of the run reports a refusal.
    func show(aside event: ProtocolEvent, isReported: Bool = false) {
        judge?.received(event)
        let isHidden = event.role == .hidden
        if !isHidden || isVerbose {
            writeEvents { $0.writeMessage(event, of: protocolName ?? "") }
        }
        let text = diagnostics.secrets.masking(Self.text(event.line))
        if event.role == .refusal {
            // A step may wait for it.
            if !isReported, judge == nil { diagnostics.error("the server refused: \(text)") }
            return
        }
        guard isVerbose || prompt != nil && !isHidden else { return }
        diagnostics.notice("\(isHidden ? "Hidden: " : "")\(text)", as: .quiet)
    }

    /// Reports an error in a reply or an event.
    func report(error event: ProtocolEvent, asReplyTo request: Int?) {
        // The prompt shows the reply as an error, and a scenario judges it.
        guard prompt == nil, judge == nil else { return }
        // Some protocols give no reason, only the name of the reply.
        let words = diagnostics.secrets.masking(Self.text(event.payload.isEmpty ? event.line : event.payload))
        let place = if case .event = event.role { "error event" } else { "error reply" }
        diagnostics.error("\(request.map { "request \($0): error" } ?? place): \(words)")
    }

    /// Records a message of the protocol that has been sent. With `-v`, shows it without secrets.
    func writeSent(protocolMessage payload: RawSpan, as kind: MessageKind) {
        record(sent: payload, as: kind)
        guard isVerbose else { return }
        let masked = diagnostics.secrets.masking(payload.withUnsafeBytes { Array($0) })
        diagnostics.show(transcript.message(masked.span.bytes, as: kind, .sent))
    }

    /// Writes to JSON output.
    private func writeEvents(_ write: (EventWriter) -> Void) {
        if let events = messages?.events { write(events) }
        if let page { write(page.events) }
    }

    /// The beginning of a text, safe for a terminal.
    private static func text(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes.prefix(maximumCharacters * 4), as: UTF8.self)
        let start = String(text.unicodeScalars.prefix(maximumCharacters))
        return escapingControls(start) + (start.utf8.count < bytes.count ? Glyphs.ellipsis : "")
    }
}
