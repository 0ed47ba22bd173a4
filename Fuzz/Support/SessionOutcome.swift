import SessionSupport
import WSCore

/// The outcome of bytes that a session receives in pieces.
struct SessionOutcome: Equatable {
    var events: [SessionEvent] = []
    var headers: [FrameHeader] = []
    var error: ProtocolError?
    /// The bytes queued for sending.
    var sent: [UInt8] = []

    /// Passes the pieces to a session of `role`, with compression if `deflate` is given. If there are two pieces, the
    /// handler pauses after every frame.
    init(
        of pieces: [ArraySlice<UInt8>], receivedBy role: Role, limits: Limits, deflate: DeflateParameters? = nil
    ) {
        let codec = deflate.map { DeflateMemory().makeCodec(for: $0, role: role) }
        var session = Session(
            role: role, limits: limits, maskingKeys: seededKeys(), compressor: codec?.compressor,
            decompressor: codec?.decompressor)
        var handler = RecordingHandler()
        handler.takesSingleFrames = pieces.count == 2
        for piece in pieces {
            do throws(ProtocolError) {
                try session.receive(piece, handler: &handler)
            } catch {
                expect(self.error == nil, "\(error) was reported after \(String(describing: self.error))")
                self.error = error
            }
        }
        events = handler.events
        headers = handler.headers
        sent = contents(of: session.outbox.bytes)
    }
}
