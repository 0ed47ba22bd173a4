import WSCore

/// Shows every frame of a connection, for `-vv`: the bits of its header and a hex dump of its payload.
package final class FrameTrace: SentFrameObserver {
    /// The maximum number of bytes shown of a payload.
    static let shownBytes = 256

    private let show: (String) -> Void
    private let transcript: Transcript
    private let client: Int?
    /// The payload of the arriving frame, as far as it will be shown.
    private var payload: [UInt8] = []
    private var isShown = false

    /// Creates a trace.
    /// - Parameters:
    ///   - client: The client's number, on a server.
    ///   - show: Receives lines, each ending with a newline.
    package init(transcript: Transcript, client: Int? = nil, show: @escaping (String) -> Void) {
        self.show = show
        self.transcript = transcript
        self.client = client
    }

    package func sent(_ header: FrameHeader, payload: RawSpan) {
        show(transcript.header(header, .sent, client: client))
        showPayload(payload.extracting(first: Self.shownBytes), of: header)
    }

    /// Shows the header of an arriving frame.
    package func received(_ header: FrameHeader) {
        show(transcript.header(header, .received, client: client))
        payload.removeAll(keepingCapacity: true)
        isShown = false
    }

    /// Shows the frame's payload once enough of it has arrived.
    package func received(_ piece: RawSpan, of header: FrameHeader) {
        guard !isShown else { return }
        payload += piece.extracting(first: Self.shownBytes - payload.count).withUnsafeBytes { Array($0) }
        guard payload.count == min(header.payloadBytes, Self.shownBytes) else { return }
        isShown = true
        payload.withUnsafeBytes { showPayload($0.bytes, of: header) }
    }

    private func showPayload(_ payload: RawSpan, of header: FrameHeader) {
        guard payload.byteCount > 0 else { return }
        show(transcript.payload(payload, of: header.payloadBytes, client: client))
    }
}
