import CIDN2

/// Host names with letters of any script, and the ASCII form in which they are looked up (UTS #46, RFC 5891).
enum InternationalName {
    /// The ASCII form of a name that contains other characters: `xn--mnchen-3ya.example` for `münchen.example`.
    ///
    /// Throws ``URLError/invalidInternationalName(_:_:)``, and ``URLError/hostTooLong(byteCount:)`` for a name that no
    /// limit of labels would ever come to.
    static func ascii(_ name: String) throws(URLError) -> String {
        // What is normalised and mapped can become shorter, but not by that much.
        guard name.utf8.count <= maximumBytes else { throw .hostTooLong(byteCount: name.utf8.count) }
        // A C string would end there.
        guard !name.utf8.contains(0) else { throw .invalidHost(name) }
        var result: Int32 = 0
        guard let converted = wsx_idn2_ascii(name, &result) else {
            throw .invalidInternationalName(name, InternationalNameError(result))
        }
        defer { idn2_free(converted) }
        let ascii = String(cString: converted)
        // RFC 1123 §2.1, which UTS #46 calls UseSTD3ASCIIRules: letters, digits and hyphens. A full-width slash or at
        // sign has become the ASCII one, and is not to end up in a URL.
        let isHostName = ascii.utf8.allSatisfy { byte in
            ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-.".utf8.contains(byte)
        }
        guard isHostName else { throw .invalidInternationalName(name, .disallowedCharacter) }
        // A soft hyphen, for one, is mapped to nothing.
        let labels = ascii.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard !labels.dropLast().contains(where: \.isEmpty), labels.first?.isEmpty == false else {
            throw .invalidInternationalName(name, .emptyLabel)
        }
        return ASCII.lowercased(ascii)
    }

    private static let maximumBytes = 1024
}

/// Why a host name with characters other than ASCII has no ASCII form.
public enum InternationalNameError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A label would have more than 63 characters, or the name more than 255.
    case tooLong
    /// A character that no host name can contain (RFC 5892).
    case disallowedCharacter
    /// A hyphen at the beginning or end of a label, or two in its third and fourth place.
    case misplacedHyphen
    /// A combining mark or joiner where there is nothing that it could belong to.
    case misplacedMark
    /// Characters written from the left and from the right in an order that RFC 5893 forbids.
    case mixedDirections
    /// A label that begins with `xn--` and is not what its form promises.
    case malformedPunycode
    /// Two dots in a row, one in front, or nothing visible between them.
    case emptyLabel
    /// Another reason; libidn2's number for it.
    case other(code: Int32)

    init(_ code: Int32) {
        self =
            switch code {
            case IDN2_TOO_BIG_DOMAIN.rawValue, IDN2_TOO_BIG_LABEL.rawValue, IDN2_PUNYCODE_BIG_OUTPUT.rawValue:
                .tooLong
            // Of a label with a slash, say, libidn2 finds that its ASCII form does not lead back to it.
            case IDN2_DISALLOWED.rawValue, IDN2_UNASSIGNED.rawValue, IDN2_DOT_IN_LABEL.rawValue,
                IDN2_ALABEL_ROUNDTRIP_FAILED.rawValue:
                .disallowedCharacter
            case IDN2_2HYPHEN.rawValue, IDN2_HYPHEN_STARTEND.rawValue:
                .misplacedHyphen
            case IDN2_LEADING_COMBINING.rawValue, IDN2_CONTEXTJ.rawValue, IDN2_CONTEXTJ_NO_RULE.rawValue,
                IDN2_CONTEXTO.rawValue, IDN2_CONTEXTO_NO_RULE.rawValue:
                .misplacedMark
            case IDN2_BIDI.rawValue:
                .mixedDirections
            case IDN2_PUNYCODE_BAD_INPUT.rawValue, IDN2_PUNYCODE_OVERFLOW.rawValue, IDN2_INVALID_ALABEL.rawValue,
                IDN2_UALABEL_MISMATCH.rawValue, IDN2_INVALID_NONTRANSITIONAL.rawValue:
                .malformedPunycode
            default:
                .other(code: code)
            }
    }

    /// Why, and what to try.
    public var description: String {
        switch self {
        case .tooLong: "it is too long; a part between dots has at most 63 characters in its ASCII form"
        case .disallowedCharacter: "it contains a character that no name can have; use letters, digits and hyphens"
        case .misplacedHyphen: "a hyphen stands where none can; remove it from the ends and the third and fourth place"
        case .misplacedMark: "a combining mark or joiner stands where none can; type the name anew"
        case .mixedDirections: "it mixes letters written from the left and from the right; check its parts"
        case .malformedPunycode: "what follows xn-- is not punycode; check it, or write the name in its own script"
        case .emptyLabel: "there is nothing between two dots; check the name"
        case .other(let code): "it cannot be converted (libidn2: \(code)); write its punycode form"
        }
    }
}
