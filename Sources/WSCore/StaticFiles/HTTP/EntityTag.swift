/// An entity tag, which identifies one state of a file (RFC 9110 §8.8.3).
struct EntityTag: Equatable {
    /// The bytes between the quotation marks.
    let opaque: [UInt8]
    /// Whether the tag is weak: it may also identify slightly different states.
    let isWeak: Bool

    /// The tag as in a header field.
    var text: String {
        String(decoding: Array((isWeak ? "W/\"" : "\"").utf8) + opaque + [Self.quotationMark], as: UTF8.self)
    }

    /// RFC 9110 §8.8.3.2: strong comparison. Both tags are equal and neither is weak.
    func isStronglyEqual(to other: EntityTag) -> Bool { !isWeak && self == other }

    /// RFC 9110 §8.8.3.2: weak comparison. Both tags are equal, whether weak or not.
    func isWeaklyEqual(to other: EntityTag) -> Bool { opaque == other.opaque }

    /// Parses a tag at the start of `text` and removes it from `text`. Returns `nil` if there is none.
    init?(takingFrom text: inout ArraySlice<UInt8>) {
        var rest = text
        isWeak = rest.starts(with: "W/".utf8)
        if isWeak { rest = rest.dropFirst(2) }
        guard rest.popFirst() == Self.quotationMark, let end = rest.firstIndex(of: Self.quotationMark) else {
            return nil
        }
        // RFC 9110 §8.8.3: a tag consists of visible characters and non-ASCII bytes.
        guard rest[..<end].allSatisfy({ $0 > ASCII.space && $0 != 0x7F }) else { return nil }
        opaque = Array(rest[..<end])
        text = rest[(end + 1)...]
    }

    /// Creates a tag. `opaque` must consist of visible characters.
    init(opaque: String, isWeak: Bool) {
        self.opaque = Array(opaque.utf8)
        self.isWeak = isWeak
    }

    private static let quotationMark = UInt8(ascii: "\"")
}

/// The tags in If-Match or If-None-Match (RFC 9110 §13.1.1, §13.1.2).
enum EntityTagCondition: Equatable {
    /// `*`: matches any existing file.
    case any
    case oneOf([EntityTag])

    /// Parses the values of the field. Tags after a malformed one are ignored and match nothing.
    init(parsing values: [String]) {
        if values.count == 1, values[0] == "*" {
            self = .any
            return
        }
        var tags: [EntityTag] = []
        for value in values {
            var rest = ASCII.trimmed(Array(value.utf8)[...])
            while true {
                // RFC 9110 §5.6.1: list elements may be empty.
                rest = rest.drop { ASCII.isOptionalWhitespace($0) || $0 == UInt8(ascii: ",") }
                guard let tag = EntityTag(takingFrom: &rest) else { break }
                tags.append(tag)
                rest = rest.drop(while: ASCII.isOptionalWhitespace)
                guard rest.first == UInt8(ascii: ",") else { break }
            }
        }
        self = .oneOf(tags)
    }

    /// Whether a tag matches the file's under the given comparison.
    func matches(where isEqual: (EntityTag) -> Bool) -> Bool {
        switch self {
        case .any: true
        case .oneOf(let tags): tags.contains(where: isEqual)
        }
    }
}

/// The validators of a file: its entity tag and modification time (RFC 9110 §8.8).
struct FileValidators {
    /// The entity tag, built from the file's inode number, length, and modification time.
    let tag: EntityTag
    /// The time for Last-Modified, in seconds since 1970-01-01 00:00 UTC.
    let modifiedSeconds: Int

    /// Creates the validators of a file. All times are in seconds since 1970-01-01 00:00 UTC.
    /// - Parameters:
    ///   - number: The inode number.
    ///   - size: The length in bytes.
    ///   - modifiedSeconds: The time of the last modification.
    ///   - modifiedNanoseconds: The fractional second of that time, in nanoseconds.
    ///   - now: The current time.
    init(number: UInt64, size: Int, modifiedSeconds: Int, modifiedNanoseconds: Int, now: Int) {
        var opaque: [UInt8] = []
        opaque.reserveCapacity(48)
        Self.append(number, to: &opaque)
        for part in [
            UInt64(max(0, size)), UInt64(bitPattern: Int64(modifiedSeconds)),
            UInt64(truncatingIfNeeded: modifiedNanoseconds),
        ] {
            opaque.append("-")
            Self.append(part, to: &opaque)
        }
        // A recently modified file may change again within the resolution of the file system's clock.
        let isSettled = modifiedSeconds <= now - Self.settlingSeconds
        tag = EntityTag(opaque: String(decoding: opaque, as: UTF8.self), isWeak: !isSettled)
        // RFC 9110 §8.8.2.1: Last-Modified must not be later than Date.
        self.modifiedSeconds = min(modifiedSeconds, now)
    }

    /// Appends a number with the digits 0 through 9 and a through z.
    private static func append(_ number: UInt64, to text: inout [UInt8]) {
        if number >= 36 { append(number / 36, to: &text) }
        let digit = UInt8(number % 36)
        text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }

    /// The field ETag of a response.
    var tagField: HeaderField { HeaderField(wellFormedName: "ETag", value: tag.text) }
    /// The field Last-Modified of a response.
    var timeField: HeaderField {
        HeaderField(wellFormedName: "Last-Modified", value: HTTPDate.text(ofSeconds: modifiedSeconds))
    }

    private static let settlingSeconds = 2
}
