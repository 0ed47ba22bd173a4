import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// Writes a connection of a HAR file as a recording.
struct HARConversion: ~Copyable {
    private let entry: HAREntry
    private var lines = ByteBuffer()
    /// The time of the latest event. Messages without a time have the same.
    private var time: Duration
    /// The number of control frames and errors, which are not converted.
    private(set) var omittedCount = 0

    /// Prepares a conversion.
    /// - Parameter entry: The connection, with the fields of its response.
    init(_ entry: HAREntry) {
        self.entry = entry
        // Chromium and Playwright begin a message's time with the connection's; other tools may not.
        let first = entry.messages?.times?.lowerBound
        time = min(entry.start ?? first ?? .zero, first ?? entry.start ?? .zero)
    }

    /// Writes the recording.
    /// - Throws: ``HARConversionError``.
    mutating func write(
        _ messages: HAREntry.Messages, in source: @escaping JSONStream.Source, to output: borrowing SessionOutput
    ) throws(HARConversionError) {
        add("recording") { _ in }
        writeOpen()
        var reader = HARMessageReader(messages, in: source)
        while let message = try Self.next(&reader) {
            switch message {
            case .message(let kind, let isSent, let time):
                self.time = time ?? self.time
                add("message") { event in
                    reader.withPayload { event.add($0, as: kind, isSent ? .outgoing : .incoming) }
                }
            case .other: omittedCount += 1
            }
            do throws(Failure) { try output.writeIfLarge(&lines) } catch { throw .output(error) }
        }
        do throws(Failure) { try output.write(&lines) } catch { throw .output(error) }
    }

    private static func next(_ reader: inout HARMessageReader) throws(HARConversionError) -> HARMessage? {
        do throws(HARError) { return try reader.next() } catch { throw .input(error) }
    }

    private mutating func writeOpen() {
        let entry = entry
        add("open") { event in
            event.add("url", WebSocketURL.shown(entry.url))
            for (member, name) in [
                ("subprotocol" as StaticString, "Sec-WebSocket-Protocol"), ("extensions", "Sec-WebSocket-Extensions"),
            ] {
                guard let field = entry.responseFields.first(where: { $0.isNamed(name) }) else { continue }
                event.add(member, ReportedHead.value(of: field))
            }
            if entry.status > 0 { event.add("status", entry.status) }
            event.add("headers", ReportedHead.json(HTTPFields(entry.responseFields), without: SecretRecord()))
        }
    }

    private mutating func add(_ type: StaticString, _ addFields: (inout JSONEvent) -> Void) {
        let text = Array(EventTime.text(sinceEpoch: time).utf8)
        var event = JSONEvent(type, time: text.span.bytes, into: lines.takeAll())
        addFields(&event)
        lines = event.finish()
    }
}

/// Why a conversion ended.
enum HARConversionError: Error {
    case input(HARError)
    case output(Failure)
}
