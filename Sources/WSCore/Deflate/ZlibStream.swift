import CZlib

/// A stream of zlib, in one direction.
protocol ZlibStream: AnyObject {
    /// Makes a stream at its beginning, for a window of 8 through 15 bits.
    init(windowBits: Int)
    /// What it was made for.
    var windowBits: Int { get }
    /// Goes back to the beginning, without a history.
    func reset()
}

/// The bytes that end every compressed message and do not travel (RFC 7692 §7.2.1): an empty block without compression.
let flushMarker: InlineArray<4, UInt8> = [0x00, 0x00, 0xFF, 0xFF]

extension UnsafeMutablePointer<z_stream> {
    /// zlib holds a stream to its address, and counts in 32 bits.
    static func makeStream() -> Self {
        let stream = allocate(capacity: 1)
        stream.initialize(to: z_stream())
        return stream
    }

    /// Sets the bytes to be read, less than 2^32; zlib does not change them.
    func setInput(_ input: UnsafeRawBufferPointer) {
        pointee.next_in = UnsafeMutablePointer<UInt8>(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        pointee.avail_in = UInt32(truncatingIfNeeded: input.count)
    }

    /// Sets the room to be filled, less than 2^32 bytes.
    func setOutput(_ output: UnsafeMutableRawPointer, count: Int) {
        pointee.next_out = output.assumingMemoryBound(to: UInt8.self)
        pointee.avail_out = UInt32(truncatingIfNeeded: count)
    }
}
