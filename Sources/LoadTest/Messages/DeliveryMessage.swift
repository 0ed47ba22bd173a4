import WSCore

/// The message that publishers send. All publishers of a thread share its memory.
///
///      9c04d1f7 01234567 0000000a 00000000 3b9aca00 5f3c9e21 …        without the spaces
///      run      number   publisher      time due    hash     filling
///
/// A reader on any thread can identify the message and calculate its latency. It also recognizes messages of other
/// runs, whose clock differs.
struct DeliveryMessage: ~Copyable {
    /// The identity of a message.
    struct Stamp: Equatable {
        /// The number of the run.
        let run: UInt32
        /// The number of the message at its publisher, modulo 2^32.
        let number: UInt32
        /// The number of the connection it was sent on.
        let publisher: UInt32
        /// When it was due, on the loops' clock in nanoseconds.
        let time: UInt64
    }

    /// The minimum size of a message, in bytes.
    static let leastBytes = 8 * 6

    /// The number of the run.
    let run: UInt32
    private let storage: UnsafeMutableRawBufferPointer

    /// Creates a message of at least ``leastBytes``.
    init(byteCount: Int, run: UInt32) {
        self.run = run
        storage = .allocate(byteCount: max(Self.leastBytes, byteCount), alignment: 8)
        LoadFilling.fill(storage)
    }

    deinit {
        storage.deallocate()
    }

    /// The size of a message, in bytes.
    var byteCount: Int { storage.count }

    /// Passes the message with its current stamp to `body`.
    @inline(__always)
    func withBytes<R>(_ body: (RawSpan) -> R) -> R {
        body(UnsafeRawBufferPointer(storage).bytes)
    }

    /// Stamps the message.
    @inline(__always)
    mutating func set(_ stamp: Stamp) {
        store(stamp.run, at: 0)
        store(stamp.number, at: 1)
        store(stamp.publisher, at: 2)
        store(UInt32(truncatingIfNeeded: stamp.time >> 32), at: 3)
        store(UInt32(truncatingIfNeeded: stamp.time), at: 4)
        store(Self.hash(stamp), at: 5)
    }

    @inline(__always)
    private func store(_ word: UInt32, at index: Int) {
        storage.storeBytes(of: HexWord.digits(of: word), toByteOffset: 8 * index, as: UInt64.self)
    }

    /// The stamp of a received message, or `nil` if it is not one of these messages or was altered.
    mutating func stamp(of message: RawSpan) -> Stamp? {
        guard message.byteCount == storage.count, let base = storage.baseAddress else { return nil }
        func word(_ index: Int) -> UInt32? { HexWord.value(of: message.extracting(8 * index..<8 * index + 8)) }
        guard let run = word(0), let number = word(1), let publisher = word(2), let high = word(3), let low = word(4)
        else {
            return nil
        }
        let stamp = Stamp(run: run, number: number, publisher: publisher, time: UInt64(high) << 32 | UInt64(low))
        set(stamp)
        return LoadFilling.areEqual(base, message, byteCount: storage.count) ? stamp : nil
    }

    /// Whether a received message begins with the number of this run, even if the rest was altered.
    func isOfRun(_ message: RawSpan) -> Bool {
        message.byteCount >= 8 && HexWord.value(of: message.extracting(0..<8)) == run
    }

    /// Mixes all fields of a stamp, with the finalizer of MurmurHash3.
    private static func hash(_ stamp: Stamp) -> UInt32 {
        var word =
            stamp.time ^ UInt64(stamp.run) << 20 ^ (UInt64(stamp.publisher) << 32 | UInt64(stamp.number))
            &* 0x9E37_79B9_7F4A_7C15
        word = (word ^ word &>> 33) &* 0xFF51_AFD7_ED55_8CCD
        word = (word ^ word &>> 33) &* 0xC4CE_B9FE_1A85_EC53
        return UInt32(truncatingIfNeeded: word ^ word &>> 33)
    }
}
