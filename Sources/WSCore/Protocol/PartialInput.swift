/// What has arrived of a frame or a message that is not whole yet.
///
/// Most connections are between two messages most of the time. They do without: the one that is decoding takes an input
/// that is at its beginning from the pool, and gives it back unless what it has read ends in the middle of something.
@usableFromInline
internal final class PartialInput {
    @usableFromInline internal init() {}

    // A header of which only the beginning has arrived.
    @usableFromInline internal var headerBytes: InlineArray<14, UInt8> = .init(repeating: 0)
    @usableFromInline internal var headerByteCount = 0

    // A frame whose payload has not arrived in full.
    @usableFromInline internal var frame: FrameHeader?
    @usableFromInline internal var payloadBytesReceived = 0
    @usableFromInline internal var controlPayload = ByteBuffer()

    // A message whose last frame has not arrived in full. nil: the next data frame begins one.
    @usableFromInline internal var messageKind: MessageKind?
    @usableFromInline internal var fragmentCount = 0
    @usableFromInline internal var isCompressed = false
    /// The payload bytes of the message's frames so far, as they travel.
    @usableFromInline internal var messageWireBytes = 0
    @usableFromInline internal var message = ByteBuffer()
    @usableFromInline internal var text = UTF8Validator()

    /// Whether everything that has arrived was whole.
    @inlinable
    internal var isAtBeginning: Bool { frame == nil && messageKind == nil && headerByteCount == 0 }

    /// Takes the bytes of a header that is cut.
    @usableFromInline
    internal func keepHeaderBytes(_ bytes: RawSpan) {
        for index in 0..<bytes.byteCount {
            headerBytes[headerByteCount] = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            headerByteCount += 1
        }
    }
}

/// Where the sessions of one loop have their partial input from.
public final class PartialInputPool {
    @usableFromInline internal var spare: PartialInput?

    /// Makes a pool for sessions that are all confined to one thread.
    public init() {}

    @inlinable
    internal func take() -> PartialInput {
        spare.take() ?? PartialInput()
    }

    @inlinable
    internal func giveBack(_ input: PartialInput) {
        spare = input
    }
}
