import WSCore

/// A step of `--decode` or `--encode`: a format of binary messages that is converted to text, usually JSON, or a rule that
/// cuts messages into records.
package enum Codec: Hashable, Sendable {
    /// Detects the format of each message; see ``CodecChain``.
    case auto
    /// MessagePack, converted to JSON.
    case messagePack
    /// CBOR (RFC 8949), converted to JSON.
    case cbor
    /// JSON in binary messages, converted to text on one line.
    case json
    /// One zlib stream for all messages of a connection, with a flush after each message, as Discord sends it.
    case zlibStream
    /// gzip (RFC 1952) or zlib (RFC 1950) data, complete in each message.
    case gzip
    /// Raw DEFLATE data (RFC 1951), complete in each message, as some exchanges send it.
    case deflate
    /// UTF-8 text in binary messages.
    case plainText
    /// Records that LF or CRLF ends.
    case lines
    /// Records that a separator ends.
    case split(RecordSeparator)
    /// Records that are the elements of a JSON array.
    case array
    /// Records after their length.
    case length(RecordLength)
    /// A single record, after this number of bytes.
    case skip(byteCount: Int)
    /// Protocol Buffers, converted to JSON; without a schema, members are the numbers of fields.
    case protobuf(ProtobufSchema?)
    /// An external program, which the caller of the chain runs.
    case program(String)

    /// A form of `--decode` in the help.
    package struct Form: Sendable {
        /// A codec of this form.
        package let codec: Codec
        /// The placeholder of what follows the name and a colon, or `nil` if nothing does.
        fileprivate let parameter: String?

        fileprivate init(_ codec: Codec, _ parameter: String? = nil) {
            self.codec = codec
            self.parameter = parameter
        }

        /// The name, with the placeholder.
        package var name: String { parameter.map { "\(codec.shortName):\($0)" } ?? codec.name }
    }

    /// All forms, in the order of the help.
    package static let forms = [
        Form(.auto), Form(.messagePack), Form(.cbor), Form(.json), Form(.zlibStream), Form(.gzip), Form(.deflate),
        Form(.plainText), Form(.lines), Form(.split(.lineFeed), "TEXT"), Form(.array), Form(.length(.u8), "TYPE"),
        Form(.skip(byteCount: 0), "N"), Form(.protobuf(nil)), Form(.protobuf(.example), "SCHEMA"),
        Form(.program(""), "PROGRAM"),
    ]

    /// The codecs without a parameter, in the order of the help.
    package static let all = forms.filter { $0.parameter == nil }.map(\.codec)

    /// What precedes the command of a program.
    package static let programPrefix = "exec:"

    /// Reads a file that a name refers to. Throws ``CodecNameProblem/unreadable(_:)``.
    package typealias FileReader = (_ path: String) throws(CodecNameProblem) -> [UInt8]

    /// Finds a codec by its name in `--decode`.
    /// - Parameter file: Reads the descriptor set of `protobuf:FILE:TYPE`. By default, no file is read.
    /// - Throws: ``CodecNameProblem``.
    package init(
        named name: String,
        file: FileReader = { _ throws(CodecNameProblem) in throw .unreadable("files are not read here") }
    ) throws(CodecNameProblem) {
        if let codec = Self.all.first(where: { $0.name == name }) {
            self = codec
            return
        }
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { throw .unknown }
        let parameter = String(name[name.utf8.index(after: colon)...])
        switch name[..<colon] {
        case "exec" where !parameter.isEmpty: self = .program(parameter)
        case "split": self = .split(try RecordSeparator(parameter))
        case "length":
            guard let length = RecordLength(rawValue: parameter) else { throw .unknownLength }
            self = .length(length)
        case "skip":
            guard parameter.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
                let count = Int(parameter)
            else { throw .notANumber }
            self = .skip(byteCount: count)
        case "protobuf": self = .protobuf(try ProtobufSchema(named: parameter, file: file))
        default: throw .unknown
        }
    }

    /// The name in `--decode`.
    package var name: String {
        switch self {
        case .split(let separator): "\(shortName):\(separator.text)"
        case .length(let length): "\(shortName):\(length.rawValue)"
        case .skip(let byteCount): "\(shortName):\(byteCount)"
        case .protobuf(let schema?): "\(shortName):\(schema.name)"
        case .program(let command): "\(shortName):\(command)"
        default: shortName
        }
    }

    /// The name without its parameter.
    package var shortName: String {
        switch self {
        case .auto: "auto"
        case .messagePack: "msgpack"
        case .cbor: "cbor"
        case .json: "json"
        case .zlibStream: "zlib-stream"
        case .gzip: "gzip"
        case .deflate: "deflate"
        case .plainText: "text"
        case .lines: "lines"
        case .split: "split"
        case .array: "array"
        case .length: "length"
        case .skip: "skip"
        case .protobuf: "protobuf"
        case .program: "exec"
        }
    }

    /// The command of a program and its arguments, separated by spaces, or `nil` for other codecs.
    package var program: String? { if case .program(let command) = self { command } else { nil } }

    /// A phrase for the help.
    package var summary: String {
        switch self {
        case .auto: "detect the format of each message"
        case .messagePack: "MessagePack"
        case .cbor: "CBOR"
        case .json: "JSON in binary messages"
        case .zlibStream: "a zlib stream across messages, as sent by Discord"
        case .gzip: "gzip or zlib data in each message"
        case .deflate: "raw DEFLATE data in each message"
        case .plainText: "UTF-8 text in binary messages"
        case .lines: "a record for each line of a message"
        case .split: "records that TEXT ends, such as \\x1e or \\r\\n"
        case .array: "a record for each element of a JSON array"
        case .length: "records after their length: " + RecordLength.allCases.map(\.rawValue).joined(separator: ", ")
        case .skip: "a message without its first N bytes"
        case .protobuf(nil): "Protocol Buffers with field numbers as names"
        case .protobuf: "Protocol Buffers by a schema, which is FILE:TYPE"
        case .program: "a program, with its arguments"
        }
    }

    /// Whether the codec makes records: a message becomes any number of them; see ``splitRecords(_:isText:into:)``.
    package var isSplitter: Bool {
        switch self {
        case .lines, .split, .array, .length: true
        default: false
        }
    }

    /// Whether the codec converts text messages, too, and its result has the kind of its input: a splitter, or `skip`.
    /// Other codecs pass text messages through.
    package var keepsKind: Bool { if case .skip = self { true } else { isSplitter } }
}

/// Why a codec cannot convert a message.
package struct CodecError: Error, Equatable, CustomStringConvertible {
    /// The codec.
    package let codec: Codec
    /// The reason.
    package let problem: CodecProblem

    /// ``Codec/auto`` has left a message unchanged.
    package static let notDetected = CodecError(codec: .auto, problem: .notDetected)

    /// Creates an error.
    package init(codec: Codec, problem: CodecProblem) {
        self.codec = codec
        self.problem = problem
    }

    /// The codec and the reason in words.
    package var description: String { "\(codec.shortName): \(problem)" }
}
