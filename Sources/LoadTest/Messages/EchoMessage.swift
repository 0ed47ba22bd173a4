import Conversation
import WSCore

/// The message sent for an echo. All connections of a thread share its memory.
///
///      0123abcdfnkaglpb…             generated: number, hash of number and connection, filling
///      └─number┘└─hash─┘
///
/// The number at the beginning makes each generated message unique, so missing, duplicate, and reordered replies are
/// detected. Messages from the user are written anew each time, unless they are all the same.
struct EchoMessage: ~Copyable {
    /// The identity of a message.
    struct Stamp {
        /// The number of the message on its connection, starting at 0.
        let number: UInt64
        /// The number of the connection, starting at 0.
        let connection: UInt64
        /// When the message was due, on the loop's clock in nanoseconds.
        let time: UInt64
    }

    /// The number and the hash of a message of at least 16 bytes, in their memory representation.
    typealias Words = (number: UInt64, hash: UInt64)

    /// What a message and its reply have in common.
    enum Identity {
        /// Nothing that other messages lack.
        case none
        /// A content that other messages may have, too.
        case shared
        /// A content that no other message of the connection has.
        case unique
    }

    /// Memory for a generated or constant message.
    private let storage: UnsafeMutableRawPointer
    /// The message with its current stamp, in ``storage`` or in memory of ``templated``.
    private var base: UnsafeRawPointer
    /// The size of the message with its current stamp, in bytes.
    private(set) var byteCount: Int
    /// The number of digits of the number and of letters of the hash; 0 for messages from the user.
    private let numberDigits: Int
    private let hashLetters: Int
    /// Writes messages that differ, or `nil` if messages are generated or all the same.
    private var templated: TemplatedMessage?
    /// Whether messages from the user differ, and are therefore found by comparing.
    private let differs: Bool
    private let isUnique: Bool

    /// The maximum number of digits of a number and of letters of a hash, for 32 bits.
    private static let wordBytes = 8
    /// With fewer digits, messages in flight at the same time may have the same number.
    private static let tellingDigits = 5

    /// Creates messages from one or more templates, which connections send in turn.
    /// - Parameters:
    ///   - variables: The variables of the templates, columns first; `nil`: the columns.
    ///   - rows: The rows of the data file, whose columns the templates may insert.
    ///   - clockOffset: The offset from the loop's clock to the time since 1970, in nanoseconds.
    init(
        _ templates: [Template], variables: VariableNames? = nil, rows: ConnectionRows? = nil,
        clockOffset: UInt64
    ) {
        var message = TemplatedMessage(templates, variables: variables, rows: rows, clockOffset: clockOffset)
        (numberDigits, hashLetters) = (0, 0)
        differs = templates.count > 1 || templates[0].variesByMessage
        isUnique = templates.allSatisfy(\.usesSequence)
        if templates.count == 1, templates[0].isConstant {
            let bytes = message.write(Stamp(number: 0, connection: 0, time: 0))
            storage = .allocate(byteCount: max(1, bytes.count), alignment: 8)
            if let start = bytes.baseAddress { storage.copyMemory(from: start, byteCount: bytes.count) }
            byteCount = bytes.count
            templated = nil
        } else {
            storage = .allocate(byteCount: 1, alignment: 8)
            byteCount = 0
            templated = consume message
        }
        base = UnsafeRawPointer(storage)
    }

    /// Creates a numbered message of at least 1 byte. Below 16 bytes, number and hash are shortened.
    init(byteCount: Int) {
        storage = .allocate(byteCount: byteCount, alignment: 8)
        self.byteCount = byteCount
        numberDigits = min(Self.wordBytes, (byteCount + 1) / 2)
        hashLetters = min(Self.wordBytes, byteCount - numberDigits)
        differs = false
        isUnique = numberDigits >= Self.tellingDigits
        base = UnsafeRawPointer(storage)
        LoadFilling.fill(UnsafeMutableRawBufferPointer(start: storage, count: byteCount))
    }

    deinit {
        storage.deallocate()
    }

    /// Whether each message contains a number.
    var isNumbered: Bool { numberDigits > 0 }

    /// How the message of a reply can be identified.
    var identity: Identity { isUnique ? .unique : isIdentified ? .shared : .none }
    /// Whether the message of a reply can be identified.
    var isIdentified: Bool { isNumbered || isFoundByComparing }

    /// Whether replies are identified by comparing them with messages, because they contain no number or one that
    /// repeats soon.
    var isFoundByComparing: Bool { differs || isNumbered && numberDigits < Self.tellingDigits }

    /// Passes the message with its current stamp to `body`.
    @inline(__always)
    func withBytes<R>(_ body: (RawSpan) -> R) -> R {
        body(UnsafeRawBufferPointer(start: base, count: byteCount).bytes)
    }

    /// Stamps the message. Returns the words it begins with, or zeros if it has no two whole words.
    @inline(__always)
    @discardableResult
    mutating func set(_ stamp: Stamp) -> Words {
        guard hasWholeWords else {
            write(stamp)
            return (0, 0)
        }
        let words = Self.words(stamp)
        storage.storeBytes(of: words.number, as: UInt64.self)
        storage.storeBytes(of: words.hash, toByteOffset: Self.wordBytes, as: UInt64.self)
        return words
    }

    /// Whether a reply equals the message of a stamp. Leaves the stamp of the message undefined.
    /// - Parameter words: What ``set(_:)`` returned for it, if that is known.
    @inline(__always)
    mutating func isEcho(_ reply: RawSpan, of stamp: Stamp, _ words: Words? = nil) -> Bool {
        guard hasWholeWords else {
            write(stamp)
            return isEqual(to: reply)
        }
        guard reply.byteCount == byteCount else { return false }
        // Compare the words in registers: loading them right after storing them would stall.
        let words = words ?? Self.words(stamp)
        let difference =
            (reply.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self) ^ words.number)
            | (reply.unsafeLoadUnaligned(fromByteOffset: Self.wordBytes, as: UInt64.self) ^ words.hash)
        return difference == 0
            && LoadFilling.areEqual(storage, reply, from: 2 * Self.wordBytes, byteCount: byteCount)
    }

    /// The number in a reply if its hash is correct, or `nil` otherwise. Shortened numbers are resolved to one at or
    /// after `expected`, or else to the last one before it. The rest of the reply is not checked.
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

    /// Writes a message of any form.
    @inline(never)
    private mutating func write(_ stamp: Stamp) {
        guard isNumbered else {
            guard let bytes = templated?.write(stamp), let start = bytes.baseAddress else { return }
            (base, byteCount) = (start, bytes.count)
            return
        }
        let (numberWord, hashWord) = Self.words(stamp)
        for index in 0..<numberDigits {
            let digit = Self.byte(Self.wordBytes - numberDigits + index, of: numberWord)
            storage.storeBytes(of: digit, toByteOffset: index, as: UInt8.self)
        }
        for index in 0..<hashLetters {
            let letter = Self.byte(Self.wordBytes - hashLetters + index, of: hashWord)
            storage.storeBytes(of: letter, toByteOffset: numberDigits + index, as: UInt8.self)
        }
    }

    private func isEqual(to reply: RawSpan) -> Bool {
        guard reply.byteCount == byteCount else { return false }
        return LoadFilling.areEqual(base, reply, byteCount: byteCount)
    }

    /// Whether number and hash have their full length of one word each.
    private var hasWholeWords: Bool { hashLetters == Self.wordBytes }

    private static func byte(_ index: Int, of word: UInt64) -> UInt8 {
        UInt8(truncatingIfNeeded: word.littleEndian >> UInt64(8 * index))
    }

    @inline(__always)
    private static func words(_ stamp: Stamp) -> Words {
        // The low half of each hash byte selects one of the 16 letters from a through p.
        let hash = hash(stamp.number, stamp.connection) & 0x0F0F_0F0F_0F0F_0F0F &+ 0x6161_6161_6161_6161
        return (HexWord.digits(of: UInt32(truncatingIfNeeded: stamp.number)), hash)
    }

    /// Mixes a number and a connection, with the finalizer of MurmurHash3.
    @inline(__always)
    private static func hash(_ number: UInt64, _ connection: UInt64) -> UInt64 {
        var word = number ^ (connection &+ 1) &* 0x9E37_79B9_7F4A_7C15
        word = (word ^ word &>> 33) &* 0xFF51_AFD7_ED55_8CCD
        word = (word ^ word &>> 33) &* 0xC4CE_B9FE_1A85_EC53
        return word ^ word &>> 33
    }
}
