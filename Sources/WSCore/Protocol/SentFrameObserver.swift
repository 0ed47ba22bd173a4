/// Sees the frames that a session sends, for who wants to look; nobody has to.
public protocol SentFrameObserver: AnyObject {
    /// A frame has been put into the outbox.
    /// - Parameters:
    ///   - header: As it travels.
    ///   - payload: As it travels, but not masked: compressed where the message is.
    func sent(_ header: FrameHeader, payload: RawSpan)
}
