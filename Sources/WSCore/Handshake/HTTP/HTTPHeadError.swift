/// The rule of RFC 9112 that a peer's HTTP head breaks.
package enum HTTPHeadError: Error, Equatable, CustomStringConvertible {
    /// The start line is not HTTP/1. `preview` holds the first bytes, at most 64.
    case notHTTP(preview: [UInt8])
    /// The major version is not 1.
    case unsupportedVersion(String)
    /// A line ends with LF alone.
    case bareLineFeed
    /// A CR is not followed by LF.
    case bareCarriageReturn
    /// The head contains a control character other than HTAB.
    case controlCharacter(UInt8)
    /// A field line has no colon. Carries the beginning of the line.
    case missingColon(String)
    /// A field name is not a token.
    case invalidFieldName(String)
    /// White space precedes a field's colon.
    case whitespaceBeforeColon(String)
    /// A field value continues on the next line.
    case foldedField
    /// The target contains bytes other than visible ASCII.
    case invalidTarget(String)
    /// The head exceeds the maximum size.
    case tooLarge(maximumBytes: Int)
    /// The head has too many fields.
    case tooManyFields(maximum: Int)

    /// A predicate that follows a subject such as "the server's answer".
    package var description: String {
        switch self {
        case .notHTTP(let preview): "is not HTTP but begins with \(quoted(String(decoding: preview, as: UTF8.self)))"
        case .unsupportedVersion(let version): "has version \(quoted(version)) instead of HTTP/1.1"
        case .bareLineFeed: "has a line that ends with LF instead of CRLF"
        case .bareCarriageReturn: "has a CR without LF"
        case .controlCharacter(let byte):
            "contains the control character 0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
        case .missingColon(let line): "has a field without a colon: \(quoted(line))"
        case .invalidFieldName(let name): "has an invalid field name: \(quoted(name))"
        case .whitespaceBeforeColon(let name): "has white space between a field name and its colon: \(quoted(name))"
        case .foldedField: "has a folded header field"
        case .invalidTarget(let target):
            "has a target with other characters than visible ASCII: \(quoted(target))"
        case .tooLarge(let maximumBytes): "is larger than \(maximumBytes) bytes"
        case .tooManyFields(let maximum): "has more than \(maximum) fields"
        }
    }
}
