import WSCore

/// What is sent for an echo, in one piece of memory for all connections of a thread.
///
///      0123456789abcdef…             made up: number, hash of number and connection, filling
///      └─number┘└─hash─┘
///
/// A number in front makes each message one that is expected only once and only on one connection, so that replies that
/// are missing, doubled or out of order can be told. Where the text was given, all messages are the same.
struct EchoMessage: ~Copyable {
    private let storage: UnsafeMutableRawBufferPointer
    /// The digits of the number, and those of the hash; 0: all messages are the same.
    private let numberDigits: Int
    private let hashDigits: Int

    /// The most digits of a number or of a hash: 32 bits.
    private static let mostDigits = 8

    /// Makes a message that is the same every time.
    init(_ bytes: [UInt8]) {
        storage = .allocate(byteCount: max(1, bytes.count), alignment: 8)
        storage.copyBytes(from: bytes)
        (numberDigits, hashDigits) = (0, 0)
    }

    /// Makes a message of 1 byte or more with a number; where it is shorter than 16 bytes, number and hash share it.
    init(byteCount: Int) {
        storage = .allocate(byteCount: byteCount, alignment: 8)
        numberDigits = min(Self.mostDigits, (byteCount + 1) / 2)
        hashDigits = min(Self.mostDigits, byteCount - numberDigits)
        LoadFilling.fill(storage)
    }

    deinit {
        storage.deallocate()
    }

    /// Whether each message has a number.
    var isNumbered: Bool { numberDigits > 0 }

    /// The number of bytes of the message.
    var byteCount: Int { storage.count }

    /// Gives `body` the message as it was stamped last.
    @inline(__always)
    func withBytes<R>(_ body: (RawSpan) -> R) -> R {
        body(UnsafeRawBufferPointer(storage).bytes)
    }

    /// Makes it the message with a number of a connection.
    @inline(__always)
    mutating func stamp(_ number: UInt64, of connection: UInt64) {
        guard isNumbered, let base = storage.baseAddress else { return }
        let numberWord = HexWord.digits(of: UInt32(truncatingIfNeeded: number))
        let hashWord = HexWord.digits(of: Self.hash(number, connection))
        guard byteCount < 2 * Self.mostDigits else {
            base.storeBytes(of: numberWord, as: UInt64.self)
            base.storeBytes(of: hashWord, toByteOffset: Self.mostDigits, as: UInt64.self)
            return
        }
        for index in 0..<numberDigits {
            storage[index] = Self.digit(Self.mostDigits - numberDigits + index, numberWord)
        }
        for index in 0..<hashDigits {
            storage[numberDigits + index] = Self.digit(Self.mostDigits - hashDigits + index, hashWord)
        }
    }

    /// Whether a reply is the message as it was stamped last.
    @inline(__always)
    func isEqual(to reply: RawSpan) -> Bool {
        guard reply.byteCount == byteCount, let base = storage.baseAddress else { return false }
        return LoadFilling.areEqual(base, reply, byteCount: byteCount)
    }

    /// The number in a reply, if its hash is right: one from `expected` on, or else the last before it; nil: there is none.
    /// What follows the digits is not looked at.
    func number(in reply: RawSpan, of connection: UInt64, expected: UInt64) -> UInt64? {
        guard isNumbered, reply.byteCount >= numberDigits + hashDigits else { return nil }
        guard
            let digits = HexWord.value(of: reply.extracting(0..<numberDigits)),
            let hash = HexWord.value(of: reply.extracting(numberDigits..<numberDigits + hashDigits))
        else { return nil }
        let period: UInt64 = 1 << UInt64(4 * numberDigits)
        let next = expected &+ (UInt64(digits) &- expected) % period
        let hashMask: UInt32 = hashDigits == Self.mostDigits ? .max : 1 << UInt32(4 * hashDigits) - 1
        for number in [next, next &- period] where Self.hash(number, connection) & hashMask == hash { return number }
        return nil
    }

    private static func digit(_ index: Int, _ word: UInt64) -> UInt8 {
        UInt8(truncatingIfNeeded: word.littleEndian >> UInt64(8 * index))
    }

    /// Mixes a number and a connection, as the finaliser of MurmurHash3 does.
    @inline(__always)
    private static func hash(_ number: UInt64, _ connection: UInt64) -> UInt32 {
        var word = number ^ (connection &+ 1) &* 0x9E37_79B9_7F4A_7C15
        word = (word ^ word &>> 33) &* 0xFF51_AFD7_ED55_8CCD
        word = (word ^ word &>> 33) &* 0xC4CE_B9FE_1A85_EC53
        return UInt32(truncatingIfNeeded: word ^ word &>> 33)
    }
}
