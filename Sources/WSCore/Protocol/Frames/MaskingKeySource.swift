/// Provides masking keys from blocks of random bytes.
///
/// RFC 6455 §5.3: the masking key must be unpredictable, derived from a strong source of entropy, and fresh for each
/// frame. The sessions of a loop share one source, so each session needs no block of random bytes itself.
public final class MaskingKeySource {
    /// A closure that fills an entire buffer with random bytes.
    package typealias Fill = (UnsafeMutableRawBufferPointer) -> Void

    /// The number of keys per block. Requesting entropy takes about 1 µs, amortized over this many frames.
    public static let blockKeys = 1024

    // The cursor is heap memory rather than a stored property: `next()` needs no exclusivity checks.
    @usableFromInline internal let keys: UnsafeMutablePointer<UInt32>
    @usableFromInline internal let nextIndex: UnsafeMutablePointer<Int>
    private let fill: Fill

    /// Creates a source.
    /// - Parameter fill: Provides random bytes from a strong source of entropy; called once per ``blockKeys`` keys.
    package init(fill: @escaping Fill) {
        self.fill = fill
        keys = .allocate(capacity: Self.blockKeys)
        keys.initialize(repeating: 0, count: Self.blockKeys)
        nextIndex = .allocate(capacity: 1)
        nextIndex.initialize(to: Self.blockKeys)
    }

    deinit {
        keys.deallocate()
        nextIndex.deallocate()
    }

    /// Returns a fresh key.
    @inlinable
    public func next() -> MaskingKey {
        if nextIndex.pointee == Self.blockKeys { refill() }
        let key = keys[nextIndex.pointee]
        nextIndex.pointee &+= 1
        return MaskingKey(word: key)
    }

    @usableFromInline
    internal func refill() {
        fill(UnsafeMutableRawBufferPointer(start: keys, count: Self.blockKeys * MemoryLayout<UInt32>.stride))
        nextIndex.pointee = 0
    }
}
