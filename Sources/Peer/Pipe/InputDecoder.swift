import Formats
import UserInterface
import WSCore

/// Converts records of standard input into items to send.
package struct InputDecoder: ~Copyable {
    /// An item and its destination.
    package struct Input: Equatable {
        package let item: InputItem
        /// The client to send it to, or `nil` for all clients.
        var client: Int?
        /// The time since the first event of the input, or `nil` without a time or if the replay ignores times.
        var delay: Duration?
    }

    /// Whether records are messages and need no decoding.
    let isVerbatim: Bool
    /// Whether an event with a time has been read.
    var hasBegun: Bool { firstTime != nil }

    private let format: InputFormat
    private let kind: MessageKind
    private var decoded = ByteBuffer()
    private var reader: EventReader
    /// Whether the input is a recording. Only its sent items are sent again. `nil` before the first event.
    private var isRecording: Bool?
    private var firstTime: Duration?
    /// The latest close event of a recording, unless another sent item followed it.
    private var close: Input?

    /// Creates a decoder.
    /// - Parameters:
    ///   - format: The format of the records.
    ///   - kind: The kind of messages if the record does not specify one.
    ///   - keepsPace: Whether the times of events matter.
    package init(_ format: InputFormat, as kind: MessageKind, keepsPace: Bool = false) {
        self.format = format
        self.kind = kind
        reader = EventReader(readsTimes: keepsPace)
        isVerbatim =
            switch format {
            case .lines, .nul, .message, .chunks: true
            case .hex, .base64, .json: false
            }
    }

    /// Decodes a record. ``withPayload(of:_:)`` then provides its payload.
    /// - Returns: The item to send, or `nil` if there is none.
    package mutating func decode(_ record: RawSpan) throws(InputProblem) -> Input? {
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

    /// Returns the close event at the end of a recording, or `nil` if there is none. Call it after the last record.
    mutating func takeClose() -> Input? {
        defer { close = nil }
        return close
    }

    /// Passes the payload of the last decoded record to `body`.
    package func withPayload<R>(of record: RawSpan, _ body: (RawSpan) -> R) -> R {
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
        // Editors and shells of Windows begin files with a byte order mark.
        let hasMark = record.withUnsafeBytes { $0.starts(with: [0xEF, 0xBB, 0xBF]) }
        let event = try reader.read(record.extracting(droppingFirst: hasMark ? 3 : 0))
        let isRecording = isRecording ?? (event.kind == .recording)
        self.isRecording = isRecording
        if firstTime == nil { firstTime = event.time }
        guard case .item(let item) = event.kind, !event.isDropped, !isRecording || event.direction == .outgoing else {
            return nil
        }
        var delay: Duration?
        if let time = event.time, let firstTime { delay = time - firstTime }
        let input = Input(item: item, client: event.client, delay: delay)
        guard isRecording else { return input }
        // A recorded prompt session may continue after a close; only the last one ended it.
        guard case .close(let frame) = item else {
            close = nil
            return input
        }
        // In the recording, replies preceded the close. They may take longer this time, so wait for them.
        close = Input(item: frame.map { .end($0) } ?? item, client: event.client, delay: delay)
        return nil
    }

    private static func isBlank(_ record: RawSpan) -> Bool {
        record.withUnsafeBytes { $0.allSatisfy(\.isBlank) }
    }
}
