/// Hands out masking keys from blocks of random bytes.
///
/// RFC 6455 §5.3: the key must be unpredictable and derived from a strong source of entropy, and chosen afresh
/// for each frame. One source serves all the sessions of a loop, so that a session costs no block of its own.
public final class MaskingKeySource {
    /// Fills all of a buffer with random bytes.
    public typealias Fill = (UnsafeMutableRawBufferPointer) -> Void

    /// 1,024 keys: a request for entropy costs about a microsecond, spread over this many frames.
    public static let blockKeys = 1024

    // The cursor lies in memory of its own, so that taking a key is free of exclusivity checks.
    @usableFromInline internal let keys: UnsafeMutablePointer<UInt32>
    @usableFromInline internal let nextIndex: UnsafeMutablePointer<Int>
    private let fill: Fill

    /// Makes a source.
    /// - Parameter fill: Provides random bytes; called once every ``blockKeys`` keys.
    public init(fill: @escaping Fill) {
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

    /// Returns a key that has not been used.
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
