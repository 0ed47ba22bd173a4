/// Reads the frames of HTTP/2 of a peer.
struct HTTP2FrameReader {
    private var bytes: [UInt8] = []

    /// Takes a frame from the front of `input`, or `nil` if it is not complete.
    /// - Throws: ``Violation``.
    mutating func next(_ input: inout UnsafeMutableRawBufferPointer) throws(Violation) -> HTTP2Frame? {
        take(9, from: &input)
        guard bytes.count >= 9 else { return nil }
        let count = Int(UInt32(bigEndianBytes: bytes[..<3]))
        guard count <= HTTP2Frame.maximumBytes else {
            guard !bytes.starts(with: "HTTP/".utf8) else { throw Violation("the server speaks HTTP/1.1", "9113 §3.4") }
            throw Violation("a frame of HTTP/2 is larger than permitted", "9113 §4.2")
        }
        take(9 + count, from: &input)
        guard bytes.count == 9 + count else { return nil }
        defer { bytes = [] }
        return HTTP2Frame(
            type: bytes[3], flags: bytes[4], stream: UInt32(bigEndianBytes: bytes[5..<9]) & 0x7FFF_FFFF,
            payload: Array(bytes[9...]))
    }

    /// Takes bytes until there are `count`.
    private mutating func take(_ count: Int, from input: inout UnsafeMutableRawBufferPointer) {
        let part = input.prefix(max(0, count - bytes.count))
        bytes += part
        input = UnsafeMutableRawBufferPointer(rebasing: input.dropFirst(part.count))
    }
}
