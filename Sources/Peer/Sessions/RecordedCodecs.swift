import Conversation
import Formats
import WSCore

/// How a recorded run has decoded messages: the member `decode` of the first event of a recording.
///
///     ["lines"]                                         received messages
///     ["from:client lines","from:server msgpack"]       in a relay, those of a side
///
/// A file must not start programs or read other files, so a recording with such a codec is shown as received.
struct RecordedCodecs {
    /// The codecs of the messages of the direction `in`, the outermost first.
    private(set) var incoming: [Codec] = []
    /// The codecs of the messages of the direction `out`.
    private(set) var outgoing: [Codec] = []

    /// Nothing is decoded.
    init() {}

    /// Reads the first event of a recording.
    init(_ line: RawSpan) {
        guard case .object(let members)? = try? JSONValue(parsing: line), case .array(let names)? = members["decode"]
        else { return }
        for case .string(let text) in names {
            let isSided = text.hasPrefix("from:")
            let name = isSided ? String(text.drop { $0 != " " }.dropFirst()) : text
            guard let codec = try? Codec(named: name), codec.program == nil else {
                (incoming, outgoing) = ([], [])
                return
            }
            if !text.hasPrefix("from:server ") { incoming.append(codec) } else { outgoing.append(codec) }
        }
    }

    /// Whether nothing is decoded.
    var isEmpty: Bool { incoming.isEmpty && outgoing.isEmpty }
}

/// Decodes the messages of a recorded connection.
struct RecordedDecoders {
    /// The maximum size of a decoded message, in bytes.
    private static let limitBytes = 64 << 20
    private let (incoming, outgoing): (RecordedMessageDecoder, RecordedMessageDecoder)

    init(_ codecs: RecordedCodecs) {
        incoming = RecordedMessageDecoder(codecs.incoming, limitBytes: Self.limitBytes)
        outgoing = RecordedMessageDecoder(codecs.outgoing, limitBytes: Self.limitBytes)
    }

    /// The records of a message. One without a record is as recorded.
    func decode(
        _ message: RawSpan, as kind: MessageKind, _ direction: EventDirection
    ) -> [(payload: [UInt8], kind: MessageKind)] {
        let message = message.withUnsafeBytes { Array($0) }
        let records = (direction == .incoming ? incoming : outgoing).decode(message, as: kind)
        return records.isEmpty ? [(message, kind)] : records
    }
}
