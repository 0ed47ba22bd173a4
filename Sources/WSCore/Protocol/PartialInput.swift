/// An incomplete frame or message.
///
/// Most connections are idle between messages most of the time, and hold no `PartialInput`. A session borrows an empty
/// one from the pool while it decodes, and returns it unless the input ends within a frame or message.
@usableFromInline
internal final class PartialInput {
    @usableFromInline internal init() {}

    // A partial header.
    @usableFromInline internal var headerBytes: InlineArray<14, UInt8> = .init(repeating: 0)
    @usableFromInline internal var headerByteCount = 0

    // A frame with an incomplete payload.
    @usableFromInline internal var frame: FrameHeader?
    @usableFromInline internal var payloadBytesReceived = 0
    @usableFromInline internal var controlPayload = ByteBuffer()

    // A message without its last frame, or nil if the next data frame starts a message.
    @usableFromInline internal var messageKind: MessageKind?
    @usableFromInline internal var fragmentCount = 0
    @usableFromInline internal var isCompressed = false
    /// The sum of the payload lengths of the message's frames so far, before decompression.
    @usableFromInline internal var messageWireBytes = 0
    @usableFromInline internal var message = ByteBuffer()
    @usableFromInline internal var text = UTF8Validator()

    /// Whether nothing is incomplete.
    @inlinable
    internal var isAtBeginning: Bool { frame == nil && messageKind == nil && headerByteCount == 0 }

    /// Appends bytes to the partial header.
    @usableFromInline
    internal func keepHeaderBytes(_ bytes: RawSpan) {
        for index in 0..<bytes.byteCount {
            headerBytes[headerByteCount] = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            headerByteCount += 1
        }
    }
}

/// Lends partial inputs to the sessions of one loop.
public final class PartialInputPool {
    @usableFromInline internal var spare: PartialInput?

    /// Creates a pool. All of its sessions must be confined to one thread.
    package init() {}

    @inlinable
    internal func take() -> PartialInput {
        spare.take() ?? PartialInput()
    }

    @inlinable
    internal func giveBack(_ input: PartialInput) {
        spare = input
    }
}
