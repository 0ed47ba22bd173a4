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
