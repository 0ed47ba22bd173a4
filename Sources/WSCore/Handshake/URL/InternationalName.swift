import CIDN2

/// Internationalized host names and their ASCII form (UTS #46, RFC 5891).
enum InternationalName {
    /// The ASCII form of a name with other characters: `xn--mnchen-3ya.example` for `münchen.example`.
    /// - Throws: ``URLError/invalidInternationalName(_:_:)``, or ``URLError/hostTooLong(byteCount:)`` for more than
    ///   1,024 bytes.
    static func ascii(_ name: String) throws(URLError) -> String {
        // Normalization and mapping can shorten a name, but not from this length to a valid one.
        guard name.utf8.count <= maximumBytes else { throw .hostTooLong(byteCount: name.utf8.count) }
        // A C string would end at the NUL.
        guard !name.utf8.contains(0) else { throw .invalidHost(name) }
        var result: Int32 = 0
        guard let converted = wsx_idn2_ascii(name, &result) else {
            throw .invalidInternationalName(name, InternationalNameError(result))
        }
        defer { idn2_free(converted) }
        let ascii = String(cString: converted)
        // RFC 1123 §2.1, or UseSTD3ASCIIRules in UTS #46: letters, digits, and hyphens. Mapping turns a full-width
        // slash or at sign into the ASCII character, which must not end up in a URL.
        let isHostName = ascii.utf8.allSatisfy { byte in
            ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-.".utf8.contains(byte)
        }
        guard isHostName else { throw .invalidInternationalName(name, .disallowedCharacter) }
        // Some characters, such as soft hyphens, are mapped to nothing.
        let labels = ascii.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard !labels.dropLast().contains(where: \.isEmpty), labels.first?.isEmpty == false else {
            throw .invalidInternationalName(name, .emptyLabel)
        }
        return ASCII.lowercased(ascii)
    }

    private static let maximumBytes = 1024
}

/// The reason an internationalized host name has no ASCII form.
package enum InternationalNameError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A label exceeds 63 characters or the name exceeds 255.
    case tooLong
    /// The name contains a character that is not allowed in host names (RFC 5892).
    case disallowedCharacter
    /// A label begins or ends with a hyphen, or has two in the third and fourth position.
    case misplacedHyphen
    /// A combining mark or joiner is not allowed in its position.
    case misplacedMark
    /// The name mixes left-to-right and right-to-left characters in a way that RFC 5893 forbids.
    case mixedDirections
    /// A label begins with `xn--` but is not valid Punycode.
    case malformedPunycode
    /// A label is empty: the name begins with a dot, or has nothing visible between two dots.
    case emptyLabel
    /// Another reason, with libidn2's error code.
    case other(code: Int32)

    init(_ code: Int32) {
        self =
            switch code {
            case IDN2_TOO_BIG_DOMAIN.rawValue, IDN2_TOO_BIG_LABEL.rawValue, IDN2_PUNYCODE_BIG_OUTPUT.rawValue:
                .tooLong
            // For a label with a slash, for example, libidn2 reports that the ASCII form does not convert back to it.
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

    /// The reason and the remedy.
    package var description: String {
        switch self {
        case .tooLong: "it is too long; each label between dots can have at most 63 characters in its ASCII form"
        case .disallowedCharacter: "it contains an invalid character; use letters, digits, and hyphens"
        case .misplacedHyphen: "it has a misplaced hyphen; remove hyphens from the ends and the third and fourth place"
        case .misplacedMark: "it has a misplaced combining mark or joiner; retype the name"
        case .mixedDirections: "it mixes left-to-right and right-to-left letters; check its parts"
        case .malformedPunycode: "the text after xn-- is not punycode; check it, or write the name in its own script"
        case .emptyLabel: "it has an empty label between two dots; check the name"
        case .other(let code): "it cannot be converted to ASCII (libidn2 error \(code)); write its punycode form"
        }
    }
}

extension LibraryVersion {
    /// The version of libidn2.
    package static var libidn2: LibraryVersion {
        LibraryVersion(name: "libidn2", text: String(cString: idn2_check_version(nil)))
    }
}
