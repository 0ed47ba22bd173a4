/// Observes the frames a session sends.
public protocol SentFrameObserver: AnyObject {
    /// Called when a frame is appended to the outbox.
    /// - Parameters:
    ///   - header: The header as sent.
    ///   - payload: The payload as sent, but before masking. It is compressed if the message is.
    func sent(_ header: FrameHeader, payload: RawSpan)
}
