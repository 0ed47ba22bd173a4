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

    /// Decodes the header at `offset`, continuing a partial header if there is one, and advances `offset` past it.
    ///
    /// If the header is incomplete, keeps the remaining bytes and returns nil.
    @inlinable @inline(__always)
    internal func decodeHeader(
        _ bytes: RawSpan, offset: inout Int, receivedBy role: Role, allowsCompression: Bool
    ) throws(ProtocolError) -> FrameHeader? {
        guard headerByteCount == 0 else {
            return try continueHeader(
                bytes, offset: &offset, receivedBy: role, allowsCompression: allowsCompression)
        }
        let rest = bytes.extracting(offset..<bytes.byteCount)
        guard let header = try FrameHeader.decode(rest, receivedBy: role, allowsCompression: allowsCompression) else {
            keepHeaderBytes(rest)
            offset = bytes.byteCount
            return nil
        }
        offset += header.encodedBytes
        return header
    }

    @usableFromInline
    internal func continueHeader(
        _ bytes: RawSpan, offset: inout Int, receivedBy role: Role, allowsCompression: Bool
    ) throws(ProtocolError) -> FrameHeader? {
        let keptBefore = headerByteCount
        let end = min(bytes.byteCount, offset + FrameHeader.maximumBytes - keptBefore)
        keepHeaderBytes(bytes.extracting(offset..<end))
        let known = headerBytes.span.extracting(0..<headerByteCount)
        guard
            let header = try FrameHeader.decode(
                known.bytes, receivedBy: role, allowsCompression: allowsCompression)
        else {
            offset = end
            return nil
        }
        offset += header.encodedBytes - keptBefore
        headerByteCount = 0
        return header
    }

    /// The progress of the incomplete message, or nil if there is none.
    var progress: MessageProgress? {
        guard messageKind != nil else { return nil }
        let missingBytes = frame.map { $0.opcode.isControl ? 0 : $0.payloadBytes - payloadBytesReceived } ?? 0
        let isLast = frame.map { !$0.opcode.isControl && $0.isFinal } ?? false
        return MessageProgress(bytes: messageWireBytes - missingBytes, totalBytes: isLast ? messageWireBytes : nil)
    }
}

/// The progress of an incoming message.
package struct MessageProgress: Equatable, Sendable {
    /// The number of payload bytes received so far, before decompression.
    package let bytes: Int
    /// The size of the whole message in bytes, before decompression; nil until the header of its last frame arrives.
    package let totalBytes: Int?
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
