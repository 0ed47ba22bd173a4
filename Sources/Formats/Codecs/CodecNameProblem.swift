import WSCore

/// Why a name in `--decode` or `--encode` is no codec.
package enum CodecNameProblem: Error, Equatable {
    /// No codec has this name.
    case unknown
    /// The text of `split:` is empty.
    case emptySeparator
    /// The text of `split:` has an undefined escape, such as `\q` or `\x1`.
    case badEscape(String)
    /// The type of `length:` does not exist.
    case unknownLength
    /// The text of `skip:` is no number.
    case notANumber
    /// `protobuf:` has no file, or no type after the last colon.
    case noType
    /// The file of `protobuf:` cannot be read; the value says why.
    case unreadable(String)
    /// The file of `protobuf:` has no schema of the type.
    case noSchema(ProtobufSchemaProblem)

    /// The reason in words, to follow a colon.
    package var words: String {
        switch self {
        case .unknown: "no such codec"
        case .emptySeparator: "the text after split: is empty; \\n is a line feed"
        case .badEscape(let escape):
            "\(escapingControls(escape)) is no escape; use \\n, \\r, \\t, \\0, \\\\, or \\x and two hexadecimal digits"
        case .unknownLength:
            "expected " + RecordLength.allCases.map { "length:\($0.rawValue)" }.joined(separator: ", ")
        case .notANumber: "expected a number of bytes, such as skip:20"
        case .noType: "expected protobuf:FILE:TYPE, such as protobuf:feed.pb:example.Trade"
        case .unreadable(let why): "reading the file: \(why)"
        case .noSchema(let problem): escapingControls(problem.words)
        }
    }
}
