import WSCore

/// Shows every frame of a connection as it travels, for `-vv`: the bits of its header and a dump of its payload.
final class FrameTrace: SentFrameObserver {
    /// The most of a payload that is shown, in bytes.
    static let shownBytes = 256

    private let show: (String) -> Void
    private let transcript: Transcript
    private let client: Int?
    /// What has come of the payload of the frame that is arriving, as far as it is to be shown.
    private var payload: [UInt8] = []
    private var isShown = false

    /// Makes a trace.
    /// - Parameters:
    ///   - client: The number of the peer, where there are several.
    ///   - show: Takes lines, each with a newline at its end.
    init(transcript: Transcript, client: Int? = nil, show: @escaping (String) -> Void) {
        self.show = show
        self.transcript = transcript
        self.client = client
    }

    func sent(_ header: FrameHeader, payload: RawSpan) {
        show(transcript.header(header, .sent, client: client))
        showPayload(payload.extracting(first: Self.shownBytes), of: header)
    }

    /// Shows the header of a frame that arrives.
    func received(_ header: FrameHeader) {
        show(transcript.header(header, .received, client: client))
        payload.removeAll(keepingCapacity: true)
        isShown = false
    }

    /// Shows its payload, once there is enough of it.
    func received(_ piece: RawSpan, of header: FrameHeader) {
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
