/// What tells one state of a file from another (RFC 9110 §8.8.3).
struct EntityTag: Equatable {
    /// What stands between the quotation marks.
    let opaque: [UInt8]
    /// Whether the same tag may stand for two states that differ a little.
    let isWeak: Bool

    /// The tag as it stands in a field.
    var text: String { (isWeak ? "W/" : "") + "\"" + String(decoding: opaque, as: UTF8.self) + "\"" }

    /// RFC 9110 §8.8.3.2: whether both are the same and neither is weak.
    func isStronglyEqual(to other: EntityTag) -> Bool { !isWeak && self == other }

    /// RFC 9110 §8.8.3.2: whether both are the same, weak or not.
    func isWeaklyEqual(to other: EntityTag) -> Bool { opaque == other.opaque }

    /// Reads the tag at the front of `text`, and takes it away; nil: there is none.
    init?(takingFrom text: inout ArraySlice<UInt8>) {
        var rest = text
        isWeak = rest.starts(with: "W/".utf8)
        if isWeak { rest = rest.dropFirst(2) }
        guard rest.popFirst() == Self.quotationMark, let end = rest.firstIndex(of: Self.quotationMark) else {
            return nil
        }
        // RFC 9110 §8.8.3: visible characters and bytes beyond ASCII.
        guard rest[..<end].allSatisfy({ $0 > ASCII.space && $0 != 0x7F }) else { return nil }
        opaque = Array(rest[..<end])
        text = rest[(end + 1)...]
    }

    /// Makes a tag of visible characters.
    init(opaque: String, isWeak: Bool) {
        self.opaque = Array(opaque.utf8)
        self.isWeak = isWeak
    }

    private static let quotationMark = UInt8(ascii: "\"")
}

/// The tags that a request names in If-Match or If-None-Match (RFC 9110 §13.1.1, §13.1.2).
enum EntityTagCondition: Equatable {
    /// `*`: whatever there is.
    case any
    case oneOf([EntityTag])

    /// Reads the values of such a field. What follows something that is no tag is left out, and matches nothing.
    init(parsing values: [String]) {
        if values.count == 1, values[0] == "*" {
            self = .any
            return
        }
        var tags: [EntityTag] = []
        for value in values {
            var rest = ASCII.trimmed(Array(value.utf8)[...])
            while true {
                // RFC 9110 §5.6.1: elements of a list may be empty.
                rest = rest.drop { ASCII.isOptionalWhitespace($0) || $0 == UInt8(ascii: ",") }
                guard let tag = EntityTag(takingFrom: &rest) else { break }
                tags.append(tag)
                rest = rest.drop(while: ASCII.isOptionalWhitespace)
                guard rest.first == UInt8(ascii: ",") else { break }
            }
        }
        self = .oneOf(tags)
    }

    /// Whether one of the tags is the file's, by a comparison.
    func matches(where isEqual: (EntityTag) -> Bool) -> Bool {
        switch self {
        case .any: true
        case .oneOf(let tags): tags.contains(where: isEqual)
        }
    }
}

/// What tells states of a file apart: its tag and the time of its last change (RFC 9110 §8.8).
struct FileValidators {
    /// The tag, of the file's number, length and time of change.
    let tag: EntityTag
    /// The time of the last change, as Last-Modified says it, since the beginning of 1970.
    let modifiedSeconds: Int

    /// Makes the validators of a file.
    /// - Parameters:
    ///   - number: What the file system tells the file from others by.
    ///   - size: Its length in bytes.
    ///   - modifiedSeconds: The time of its last change, since the beginning of 1970.
    ///   - modifiedNanoseconds: The part of a second after that.
    ///   - now: The present time.
    init(number: UInt64, size: Int, modifiedSeconds: Int, modifiedNanoseconds: Int, now: Int) {
        let parts = [
            number, UInt64(max(0, size)), UInt64(bitPattern: Int64(modifiedSeconds)),
            UInt64(truncatingIfNeeded: modifiedNanoseconds),
        ]
        // What has changed a moment ago may change again before the clock, or the file system's, has moved on.
        let isSettled = modifiedSeconds <= now - Self.settlingSeconds
        tag = EntityTag(opaque: parts.map { String($0, radix: 36) }.joined(separator: "-"), isWeak: !isSettled)
        // RFC 9110 §8.8.2.1: Last-Modified is not later than Date.
        self.modifiedSeconds = min(modifiedSeconds, now)
    }

    /// The fields of an answer.
    var fields: [HeaderField] {
        [
            HeaderField(wellFormedName: "ETag", value: tag.text),
            HeaderField(wellFormedName: "Last-Modified", value: HTTPDate.text(ofSeconds: modifiedSeconds)),
        ]
    }

    private static let settlingSeconds = 2
}
