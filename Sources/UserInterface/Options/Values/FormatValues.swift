import CommandLine
import WSCore

/// The opcode of outgoing messages. `automatic` means binary for the byte formats (`chunks`, `hex`, `base64`) and text
/// for the others. Events of `json` input carry their own opcode.
package enum PayloadKind {
    case automatic
    case text
    case binary

    /// The kind of message to send for input in a format.
    package func kind(for format: InputFormat) -> MessageKind {
        switch self {
        case .text: .text
        case .binary: .binary
        case .automatic: format.isBinary ? .binary : .text
        }
    }
}

/// The values of `--input`.
package enum InputFormat: String, CaseIterable, OptionChoice {
    case lines
    case nul
    case message
    case chunks
    case hex
    case base64
    case json

    package var summary: String {
        switch self {
        case .lines: "one message per line, sent byte for byte"
        case .nul: "one message per record that ends in a NUL byte"
        case .message: "all input as one message"
        case .chunks: "each chunk read as one binary message; chunks:SIZE sets its size"
        case .hex: "one binary message per line of hexadecimal digits"
        case .base64: "one binary message per line of Base64"
        case .json: "one JSON event per line, see JSON EVENTS"
        }
    }

    /// Parses a format, with the size of chunks in bytes, or `nil` for chunks as they are read.
    package static func parseSized(_ text: String) throws(ValueProblem) -> (format: InputFormat, chunkBytes: Int?) {
        let prefix = "\(chunks.rawValue):"
        guard text.hasPrefix(prefix) else { return (try parse(text), nil) }
        return (.chunks, try SizeValue.parse(String(text.dropFirst(prefix.count))))
    }

    /// Whether messages are bytes rather than text.
    package var isBinary: Bool { self == .chunks || self == .hex || self == .base64 }
}

/// The values of `--output`.
package enum OutputFormat: String, CaseIterable, OptionChoice {
    case text
    case raw
    case nul
    case hex
    case base64
    case json

    /// Parses a format. A file name follows curl's `--output`.
    package static func parse(_ text: String) throws(ValueProblem) -> OutputFormat {
        if let format = OutputFormat(rawValue: text) { return format }
        guard text != "-", !text.utf8.contains(where: { "./".utf8.contains($0) }) else {
            throw .misplaced(MisplacedValue(kind: "a file", remedy: "use > FILE to save the output"))
        }
        throw .notAChoice(allCases.map(\.rawValue))
    }

    /// Whether messages are written as received, even if they are decoded.
    package var keepsOriginals: Bool { self == .raw || self == .hex || self == .base64 }

    package var summary: String {
        switch self {
        case .text: "each message and a newline"
        case .raw: "each message without a separator"
        case .nul: "each message and a NUL byte"
        case .hex: "each message as a line of hexadecimal digits"
        case .base64: "each message as a line of Base64"
        case .json: "one JSON event per line, see JSON EVENTS"
        }
    }

    package var subjects: OptionSubjects { self == .text || self == .json ? [] : .messageOutput }
}

/// The pace at which events of the input are sent.
package enum ReplaySpeed: Equatable {
    /// Without pauses.
    case max
    /// With the recorded pauses, divided by this factor.
    case factor(Double)

    /// The valid factors: beyond any practical use, yet far from overflow in either direction.
    private static let factors = 0.000_001...1_000_000

    /// Parses `max` or a decimal number from 0.000001 to 1000000.
    package static func parse(_ text: String) throws(ValueProblem) -> ReplaySpeed {
        if text == "max" { return .max }
        let isDecimal = text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: ".") }
        guard isDecimal, let factor = Double(text), factors.contains(factor) else { throw .notASpeed }
        return .factor(factor)
    }
}

/// The format of results on standard output.
package enum ResultFormat: String, OptionChoice {
    case text
    case json
    case jsonl

    package var summary: String {
        switch self {
        case .text: "a table"
        case .json: "one JSON object on one line, see JSON RESULTS"
        case .jsonl: "one JSON object per second during the run, then the results as with json"
        }
    }
}
