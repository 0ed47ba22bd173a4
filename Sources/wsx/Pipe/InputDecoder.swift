import Formats
import WSCore

/// Turns records of standard input into what is to be sent.
struct InputDecoder: ~Copyable {
    /// What a record asks for, and for whom.
    struct Input: Equatable {
        let item: InputItem
        /// The client that it is for; nil: all.
        var client: Int?
        /// How long after the first event of the input this one was; nil: it has no time, or there is no pace to keep.
        var delay: Duration?
    }

    /// Whether a record is a message as it stands.
    let isVerbatim: Bool
    /// Whether an event with a time has been read.
    var hasBegun: Bool { firstTime != nil }

    private let format: InputFormat
    private let kind: MessageKind
    private var decoded = ByteBuffer()
    private var reader: EventReader
    /// Whether the input is a recording, of which only what was sent is sent again; nil: nothing has been read.
    private var isRecording: Bool?
    private var firstTime: Duration?
    /// The latest close of a recording, while nothing that is sent has followed it.
    private var close: Input?

    /// Makes a decoder.
    /// - Parameters:
    ///   - format: What the records are.
    ///   - kind: The kind of messages that do not say it themselves.
    ///   - keepsPace: Whether the times of events matter.
    init(_ format: InputFormat, as kind: MessageKind, keepsPace: Bool = false) {
        self.format = format
        self.kind = kind
        reader = EventReader(readsTimes: keepsPace)
        isVerbatim =
            switch format {
            case .lines, .nul, .message, .chunks: true
            case .hex, .base64, .json: false
            }
    }

    /// Decodes a record; ``withPayload(of:_:)`` then gives what is to be sent.
    /// - Returns: What the record asks for; nil: nothing.
    mutating func decode(_ record: RawSpan) throws(InputProblem) -> Input? {
        switch format {
        case .lines, .nul, .message, .chunks: break
        case .hex: try decodeHexadecimal(record)
        case .base64: try decodeBase64(record)
        case .json: return try decodeEvent(record)
        }
        let isText = kind == .binary || withPayload(of: record) { UTF8Validator.isValid($0) }
        guard isText else { throw .notText }
        return Input(item: .message(kind))
    }

    /// Takes the close with which a recording ends, once all of it has been decoded; nil: there is none.
    mutating func takeClose() -> Input? {
        defer { close = nil }
        return close
    }

    /// Gives `body` the payload of what was decoded last, from `record`.
    func withPayload<R>(of record: RawSpan, _ body: (RawSpan) -> R) -> R {
        switch format {
        case .lines, .nul, .message, .chunks: body(record)
        case .hex, .base64: decoded.withReadableBytes(body)
        case .json: reader.withPayload(body)
        }
    }

    private mutating func decodeHexadecimal(_ record: RawSpan) throws(InputProblem) {
        decoded.removeAll()
        do throws(EncodedTextError) {
            try HexDigits.appendDecoded(record, to: &decoded)
        } catch {
            throw .notHexadecimal(error)
        }
    }

    private mutating func decodeBase64(_ record: RawSpan) throws(InputProblem) {
        decoded.removeAll()
        do throws(EncodedTextError) {
            try Base64.appendDecoded(record, to: &decoded)
        } catch {
            throw .notBase64(error)
        }
    }

    private mutating func decodeEvent(_ record: RawSpan) throws(InputProblem) -> Input? {
        guard !Self.isBlank(record) else { return nil }
        let event = try reader.read(record)
        let isRecording = isRecording ?? (event.kind == .recording)
        self.isRecording = isRecording
        if firstTime == nil { firstTime = event.time }
        guard case .item(let item) = event.kind, !isRecording || event.direction == .outgoing else { return nil }
        var delay: Duration?
        if let time = event.time, let firstTime { delay = time - firstTime }
        let input = Input(item: item, client: event.client, delay: delay)
        guard isRecording else { return input }
        // A session at the prompt may go on after a close; only the last one was its end.
        guard case .close(let frame) = item else {
            close = nil
            return input
        }
        // What it followed in the recording were replies, which may take longer this time.
        close = Input(item: frame.map { .end($0) } ?? item, client: event.client, delay: delay)
        return nil
    }

    private static func isBlank(_ record: RawSpan) -> Bool {
        record.withUnsafeBytes { $0.allSatisfy(\.isBlank) }
    }
}
