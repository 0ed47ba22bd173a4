import WSCore

/// What is sent for an echo, in one piece of memory for all connections of a thread.
///
///      0123abcdfnkaglpb…             made up: number, hash of number and connection, filling
///      └─number┘└─hash─┘
///
/// A number in front makes each message one that is expected only once and only on one connection, so that replies that
/// are missing, doubled or out of order can be told. Those that were given are written anew each time, one after the other,
/// if they differ at all.
struct EchoMessage: ~Copyable {
    /// Which message of a connection it is.
    struct Stamp {
        /// The number of the message among those of its connection, from 0.
        let number: UInt64
        /// The number of the connection, from 0.
        let connection: UInt64
        /// When the message was due, on the loop's clock in nanoseconds.
        let time: UInt64
    }

    /// Room for the longest form there is.
    private let storage: UnsafeMutableRawBufferPointer
    /// The number of bytes of the message as it was stamped last.
    private(set) var byteCount: Int
    /// The digits of the number, and the letters of the hash; 0: it was given.
    private let numberDigits: Int
    private let hashLetters: Int
    /// What differs from message to message; empty: they are made up, or all the same.
    private let templates: [MessageTemplate]
    /// What is added to a time on the loop's clock to have one since 1970, in nanoseconds.
    private let clockOffset: UInt64

    /// The most digits of a number and letters of a hash: 32 bits.
    private static let wordBytes = 8
    /// With fewer digits, messages that are in flight together may have the same number.
    private static let tellingDigits = 5

    /// Makes messages that were given, one or more, which connections send in turn.
    /// - Parameter clockOffset: What is added to a time on the loop's clock to have one since 1970, in nanoseconds.
    init(_ templates: [MessageTemplate], clockOffset: UInt64) {
        storage = .allocate(byteCount: max(1, templates.map(\.largestBytes).max() ?? 1), alignment: 8)
        (numberDigits, hashLetters, byteCount) = (0, 0, 0)
        self.clockOffset = clockOffset
        let isSame = templates.count == 1 && templates[0].isConstant
        self.templates = isSame ? [] : templates
        byteCount = templates[0].write(to: storage, Stamp(number: 0, connection: 0, time: 0), clockOffset: 0)
    }

    /// Makes a message of 1 byte or more with a number; where it is shorter than 16 bytes, number and hash share it.
    init(byteCount: Int) {
        storage = .allocate(byteCount: byteCount, alignment: 8)
        self.byteCount = byteCount
        numberDigits = min(Self.wordBytes, (byteCount + 1) / 2)
        hashLetters = min(Self.wordBytes, byteCount - numberDigits)
        (templates, clockOffset) = ([], 0)
        LoadFilling.fill(storage)
    }

    deinit {
        storage.deallocate()
    }

    /// Whether each message has a number that is found in it.
    var isNumbered: Bool { numberDigits > 0 }

    /// Whether it can be told which message a reply belongs to.
    var isIdentified: Bool { isNumbered || isFoundByComparing }

    /// Whether it is by comparing that it is told which message a reply belongs to: there is no number in it, or one that
    /// is soon used again.
    var isFoundByComparing: Bool { !templates.isEmpty || isNumbered && numberDigits < Self.tellingDigits }

    /// Gives `body` the message as it was stamped last.
    @inline(__always)
    func withBytes<R>(_ body: (RawSpan) -> R) -> R {
        body(UnsafeRawBufferPointer(start: storage.baseAddress, count: byteCount).bytes)
    }

    /// Makes it the message of a stamp.
    @inline(__always)
    mutating func set(_ stamp: Stamp) {
        if hasWholeWords, let base = storage.baseAddress {
            let (numberWord, hashWord) = Self.words(stamp)
            base.storeBytes(of: numberWord, as: UInt64.self)
            base.storeBytes(of: hashWord, toByteOffset: Self.wordBytes, as: UInt64.self)
        } else {
            write(stamp)
        }
    }

    /// Whether a reply is the message of a stamp; which one the message is afterwards is not said.
    @inline(__always)
    mutating func isEcho(_ reply: RawSpan, of stamp: Stamp) -> Bool {
        guard hasWholeWords else {
            write(stamp)
            return isEqual(to: reply)
        }
        guard reply.byteCount == byteCount, let base = storage.baseAddress else { return false }
        // The words are compared as they are: what has just been stored takes its time to be loaded again.
        let (numberWord, hashWord) = Self.words(stamp)
        let difference =
            (reply.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self) ^ numberWord)
            | (reply.unsafeLoadUnaligned(fromByteOffset: Self.wordBytes, as: UInt64.self) ^ hashWord)
        return difference == 0
            && LoadFilling.areEqual(base, reply, from: 2 * Self.wordBytes, byteCount: byteCount)
    }

    /// The number in a reply, if its hash is right: one from `expected` on, or else the last before it; nil: there is none.
    /// What follows the hash is not looked at.
    func number(in reply: RawSpan, of connection: UInt64, expected: UInt64) -> UInt64? {
        guard isNumbered, reply.byteCount >= numberDigits + hashLetters else { return nil }
        guard let digits = HexWord.value(of: reply.extracting(0..<numberDigits)) else { return nil }
        let period: UInt64 = 1 << UInt64(4 * numberDigits)
        let next = expected &+ (UInt64(digits) &- expected) % period
        return [next, next &- period].first { number in
            let (_, hashWord) = Self.words(Stamp(number: number, connection: connection, time: 0))
            return (0..<hashLetters).allSatisfy { index in
                let letter = reply.unsafeLoad(fromByteOffset: numberDigits + index, as: UInt8.self)
                return letter == Self.byte(Self.wordBytes - hashLetters + index, of: hashWord)
            }
        }
    }

    /// Makes it the message of a stamp, of whatever form it is.
    @inline(never)
    private mutating func write(_ stamp: Stamp) {
        guard isNumbered else {
            guard !templates.isEmpty else { return }
            let template = templates[Int(stamp.number % UInt64(templates.count))]
            byteCount = template.write(to: storage, stamp, clockOffset: clockOffset)
            return
        }
        let (numberWord, hashWord) = Self.words(stamp)
        for index in 0..<numberDigits {
            storage[index] = Self.byte(Self.wordBytes - numberDigits + index, of: numberWord)
        }
        for index in 0..<hashLetters {
            storage[numberDigits + index] = Self.byte(Self.wordBytes - hashLetters + index, of: hashWord)
        }
    }

    private func isEqual(to reply: RawSpan) -> Bool {
        guard reply.byteCount == byteCount, let base = storage.baseAddress else { return false }
        return LoadFilling.areEqual(base, reply, byteCount: byteCount)
    }

    /// Whether number and hash are there in full, each a word.
    private var hasWholeWords: Bool { hashLetters == Self.wordBytes }

    private static func byte(_ index: Int, of word: UInt64) -> UInt8 {
        UInt8(truncatingIfNeeded: word.littleEndian >> UInt64(8 * index))
    }

    /// Number and hash as they lie in memory.
    @inline(__always)
    private static func words(_ stamp: Stamp) -> (number: UInt64, hash: UInt64) {
        // Half of each byte of the hash makes one of 16 letters, from a on.
        let hash = hash(stamp.number, stamp.connection) & 0x0F0F_0F0F_0F0F_0F0F &+ 0x6161_6161_6161_6161
        return (HexWord.digits(of: UInt32(truncatingIfNeeded: stamp.number)), hash)
    }

    /// Mixes a number and a connection, as the finaliser of MurmurHash3 does.
    @inline(__always)
    private static func hash(_ number: UInt64, _ connection: UInt64) -> UInt64 {
        var word = number ^ (connection &+ 1) &* 0x9E37_79B9_7F4A_7C15
        word = (word ^ word &>> 33) &* 0xFF51_AFD7_ED55_8CCD
        word = (word ^ word &>> 33) &* 0xC4CE_B9FE_1A85_EC53
        return word ^ word &>> 33
    }
}
