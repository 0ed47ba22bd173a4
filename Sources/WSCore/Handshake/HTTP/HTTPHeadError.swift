/// How a peer's HTTP head breaks the rules of RFC 9112.
public enum HTTPHeadError: Error, Equatable, CustomStringConvertible {
    /// The start line is not one of HTTP/1; `preview` is how the bytes begin, at most 64 of them.
    case notHTTP(preview: [UInt8])
    case unsupportedVersion(String)
    case bareLineFeed
    case bareCarriageReturn
    case controlCharacter(UInt8)
    case missingColon(String)
    case invalidFieldName(String)
    case whitespaceBeforeColon(String)
    case foldedField
    case tooLarge(maximumBytes: Int)
    case tooManyFields(maximum: Int)

    /// A name for scripts and the manual, which stays the same.
    public var identifier: String {
        switch self {
        case .notHTTP: "not-http"
        case .unsupportedVersion: "http-version"
        case .bareLineFeed: "http-bare-line-feed"
        case .bareCarriageReturn: "http-bare-carriage-return"
        case .controlCharacter: "http-control-character"
        case .missingColon: "http-missing-colon"
        case .invalidFieldName: "http-field-name"
        case .whitespaceBeforeColon: "http-whitespace-before-colon"
        case .foldedField: "http-folded-field"
        case .tooLarge: "http-head-too-large"
        case .tooManyFields: "http-too-many-fields"
        }
    }

    /// What is wrong, as the end of a sentence: "the server's answer" and this.
    public var description: String {
        switch self {
        case .notHTTP(let preview): "is not HTTP: it begins with \(quoted(String(decoding: preview, as: UTF8.self)))"
        case .unsupportedVersion(let version): "has the version \(quoted(version)), not HTTP/1.1"
        case .bareLineFeed: "has a line that ends with LF alone, not CRLF"
        case .bareCarriageReturn: "has a CR that no LF follows"
        case .controlCharacter(let byte):
            "contains the control character 0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
        case .missingColon(let line): "has a field without a colon: \(quoted(line))"
        case .invalidFieldName(let name): "has an invalid field name: \(quoted(name))"
        case .whitespaceBeforeColon(let name): "has white space between a field name and its colon: \(quoted(name))"
        case .foldedField: "has a folded header field"
        case .tooLarge(let maximumBytes): "is larger than \(maximumBytes) bytes"
        case .tooManyFields(let maximum): "has more than \(maximum) fields"
        }
    }
}
