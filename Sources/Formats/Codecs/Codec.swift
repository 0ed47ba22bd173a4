import WSCore

/// A format of binary messages that is converted to text, usually JSON.
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
    /// An external program, which the caller of the chain runs.
    case program(String)

    /// The codecs with a name of their own, in the order of the help.
    package static let all: [Codec] = [.auto, .messagePack, .cbor, .json, .zlibStream, .gzip, .deflate, .plainText]

    /// What precedes the command of a program.
    package static let programPrefix = "exec:"

    /// Finds a codec by its name in `--decode`. Returns `nil` for an unknown name.
    package init?(named name: String) {
        if name.hasPrefix(Self.programPrefix), name.utf8.count > Self.programPrefix.utf8.count {
            self = .program(String(name.dropFirst(Self.programPrefix.count)))
        } else if let codec = Self.all.first(where: { $0.name == name }) {
            self = codec
        } else {
            return nil
        }
    }

    /// The name in `--decode`.
    package var name: String {
        switch self {
        case .auto: "auto"
        case .messagePack: "msgpack"
        case .cbor: "cbor"
        case .json: "json"
        case .zlibStream: "zlib-stream"
        case .gzip: "gzip"
        case .deflate: "deflate"
        case .plainText: "text"
        case .program(let command): Self.programPrefix + command
        }
    }

    /// The name without the command of a program.
    package var shortName: String { if case .program = self { "exec" } else { name } }

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
        case .program: "a program, with its arguments"
        }
    }

    /// Whether ``encode(_:to:)`` supports the format.
    package var canEncode: Bool { self == .messagePack || self == .cbor }

    /// Appends the encoding of a JSON text, with the markers of decoded messages.
    /// - Throws: ``CodecError``. A part may already have been appended.
    package func encode(_ text: RawSpan, to buffer: inout ByteBuffer) throws(CodecError) {
        do throws(CodecProblem) {
            switch self {
            case .messagePack: try MessagePack.encode(text, to: &buffer)
            case .cbor: try CBOR.encode(text, to: &buffer)
            case .auto, .json, .zlibStream, .gzip, .deflate, .plainText, .program: throw .cannotEncode
            }
        } catch {
            throw CodecError(codec: self, problem: error)
        }
    }

    /// Encodes a JSON text, as ``encode(_:to:)`` does.
    /// - Throws: ``CodecError``.
    package func encoded(_ text: RawSpan) throws(CodecError) -> [UInt8] {
        var buffer = ByteBuffer()
        try encode(text, to: &buffer)
        return buffer.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
    }
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
