import CZlib

/// A zlib stream for one direction.
protocol ZlibStream: AnyObject {
    /// Creates a stream with a window of 8 to 15 bits.
    init(windowBits: Int)
    /// The window size in bits.
    var windowBits: Int { get }
    /// Resets the stream and clears its history.
    func reset()
    /// The pool that lends streams of this type.
    static func pool(of memory: DeflateMemory) -> StreamPool<Self>
}

/// The end of every compressed message, which is not sent (RFC 7692 §7.2.1): the tail of an empty stored block.
let flushMarker: InlineArray<4, UInt8> = [0x00, 0x00, 0xFF, 0xFF]

extension UnsafeMutablePointer<z_stream> {
    /// Allocates a stream on the heap, because zlib requires a stable address.
    static func makeStream() -> Self {
        let stream = allocate(capacity: 1)
        stream.initialize(to: z_stream())
        return stream
    }

    /// Sets the input, less than 2^32 bytes because zlib counts in 32 bits. zlib does not modify it.
    func setInput(_ input: UnsafeRawBufferPointer) {
        pointee.next_in = UnsafeMutablePointer<UInt8>(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        pointee.avail_in = UInt32(truncatingIfNeeded: input.count)
    }

    /// Sets the output space, less than 2^32 bytes.
    func setOutput(_ output: UnsafeMutableRawPointer, count: Int) {
        pointee.next_out = output.assumingMemoryBound(to: UInt8.self)
        pointee.avail_out = UInt32(truncatingIfNeeded: count)
    }
}

extension LibraryVersion {
    /// The version of zlib.
    package static var zlib: LibraryVersion { LibraryVersion(name: "zlib", text: String(cString: zlibVersion())) }
}
