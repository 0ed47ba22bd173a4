/// Why a codec cannot convert a message.
package enum CodecProblem: Error, Equatable {
    /// The message ends within a value.
    case truncated
    /// The value at this offset is invalid.
    case malformed(offset: Int)
    /// Bytes follow the value.
    case trailing(byteCount: Int)
    /// Values are nested too deeply.
    case tooDeep(limit: Int)
    /// The converted message exceeds the limit.
    case tooBig(limitBytes: Int)
    /// The compressed data is damaged.
    case corrupt
    /// The unfinished messages of all streams of a server exceed their limit.
    case memoryIsScarce
    /// An earlier message of the stream could not be decompressed, and this one refers to it.
    case streamLost
    /// The text is not UTF-8.
    case notUTF8
    /// The text is not JSON.
    case notJSON(JSONError)
    /// A string contains an escaped unpaired surrogate, which UTF-8 cannot encode.
    case unpairedSurrogate
    /// A marker has another value than the expected one.
    case invalidMarker(String, expected: String)
    /// A key begins with `$` but is neither a marker nor a JSON value.
    case invalidKey(String)
    /// The format has no representation of a marker.
    case unsupportedMarker(String)
    /// The format has no representation of a number.
    case numberOutOfRange(String)
    /// The record with its length at this offset has more bytes than are left.
    case cutRecord(offset: Int, byteCount: UInt64, leftBytes: Int)
    /// A text would be cut within the character that contains the byte at this offset.
    case cutCharacter(offset: Int)
    /// The message has fewer bytes than are left out.
    case tooShort(byteCount: Int)
    /// A message has too many records.
    case tooManyRecords(limit: Int)
    /// A message has too many fields.
    case tooManyFields(limit: Int)
    /// The record contains what would end it.
    case containsSeparator
    /// The record has more bytes than its length can express.
    case recordTooLong(byteCount: Int, limit: UInt64)
    /// The message would be a text that is not UTF-8, because of a separator or length.
    case resultNotUTF8
    /// The codec only decodes.
    case cannotEncode
    /// No format was detected.
    case notDetected
    /// The message contains a line break, which ends a line for a program.
    case lineBreak
    /// The program of the codec has refused the message or has ended; the value says so.
    case program(String)
}

extension CodecProblem: CustomStringConvertible {
    /// The reason in words, to follow a colon.
    package var description: String {
        switch self {
        case .truncated: "the data is incomplete"
        case .malformed(let offset): "invalid data at byte \(offset + 1)"
        case .trailing(1): "1 byte follows the value"
        case .trailing(let count): "\(Phrase.count(count, "byte")) \(count == 1 ? "follows" : "follow") the value"
        case .tooDeep(let limit): "more than \(limit) levels of nesting"
        case .tooBig(let limitBytes): "the decoded message exceeds \(Phrase.count(limitBytes, "byte"))"
        case .memoryIsScarce: "unfinished messages of all clients take too much memory"
        case .corrupt: "the compressed data is damaged"
        case .streamLost: "an earlier message of the stream could not be decompressed"
        case .notUTF8: "the text is not UTF-8"
        case .notJSON(let error): "not JSON: \(error)"
        case .unpairedSurrogate: "a string contains an unpaired surrogate"
        case .invalidMarker(let name, let expected): "\(name) needs \(expected)"
        case .invalidKey(let key): "the key \(key) is no marker; write $\(key) for a key that begins with $"
        case .unsupportedMarker(let name): "the format has no \(name)"
        case .numberOutOfRange(let number): "the number \(number) is out of range"
        case .cutRecord(let offset, let byteCount, let leftBytes):
            "the record at byte \(offset + 1) has \(byteCount) bytes, but the message has \(leftBytes) after its length"
        case .cutCharacter(let offset): "byte \(offset + 1) is within a character of the text"
        case .tooShort(let byteCount): "the message has only \(Phrase.count(byteCount, "byte"))"
        case .tooManyRecords(let limit): "more than \(limit) records"
        case .tooManyFields(let limit): "more than \(limit) fields"
        case .containsSeparator: "the record contains the separator"
        case .recordTooLong(let byteCount, let limit):
            "the record has \(byteCount) bytes, and its length can be at most \(limit)"
        case .resultNotUTF8: "with its length or separator, the text would not be UTF-8"
        case .cannotEncode: "the codec only decodes"
        case .lineBreak: "the program reads lines, and the message contains a line break"
        case .program(let words): words
        case .notDetected: "the data is neither compressed, nor JSON, MessagePack, or CBOR"
        }
    }
}
