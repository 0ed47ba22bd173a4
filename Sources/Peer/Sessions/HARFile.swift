import Conversation
import Formats
import UserInterface
import WSCore

/// A HAR file with connections that can be written as recordings.
package struct HARFile {
    /// Takes text that has been written.
    package typealias Sink = (inout ByteBuffer) throws(Failure) -> Void

    private let input: SessionInput
    /// The connections, without the fields of their responses; at least one.
    package let entries: [HAREntry]

    /// Reads a file.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package init(_ input: SessionInput) throws(Failure) {
        self.input = input
        entries = try Self.read(input) { () throws(HARError) in try HARReader.connections(in: input.source) }
        guard !entries.isEmpty else { throw input.failure("it contains no WebSocket connection") }
    }

    /// The number of the connection if there is only one.
    package var onlyNumber: Int? { entries.count == 1 ? 1 : nil }

    /// Checks that the file has the messages of a connection.
    /// - Parameter number: The number of the connection, from 1.
    @discardableResult
    package func messages(of number: Int) throws(Failure) -> HAREntry.Messages {
        let entry = entries[number - 1]
        if let messages = entry.messages { return messages }
        let reason =
            entry.status >= 300
            ? "says that the server rejected it with status \(entry.status)"
            : "lacks its messages; Chromium's \"Save all as HAR with content\" contains them, Firefox's files do not"
        throw input.failure("connection \(number): the file \(reason)")
    }

    /// Writes a connection as a recording.
    /// - Parameters:
    ///   - number: The number of the connection, from 1.
    ///   - sink: Called after each event. What it leaves is passed to `rest`.
    /// - Returns: The number of omitted control frames and errors.
    package func write(_ number: Int, to sink: Sink, rest: Sink) throws(Failure) -> Int {
        let messages = try messages(of: number)
        let whole = try Self.read(input) { () throws(HARError) in
            try HARReader.whole(entries[number - 1], in: input.source)
        }
        var conversion = HARConversion(whole)
        do throws(HARConversionError) {
            try conversion.write(messages, in: input.source, to: sink, rest: rest)
        } catch {
            switch error {
            case .input(let error): throw input.failure("connection \(number), \(error)")
            case .output(let failure): throw failure
            }
        }
        return conversion.omittedCount
    }

    private static func read<Value>(
        _ input: SessionInput, _ body: () throws(HARError) -> Value
    ) throws(Failure) -> Value {
        do throws(HARError) { return try body() } catch { throw input.failure("\(error)") }
    }
}

/// Writes a connection of a HAR file as a recording.
private struct HARConversion: ~Copyable {
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
        let opened = entry.start.map { $0 + entry.timings.untilOpen }
        time = min(opened ?? first ?? .zero, first ?? opened ?? .zero)
    }

    /// Writes the recording.
    /// - Throws: ``HARConversionError``.
    mutating func write(
        _ messages: HAREntry.Messages, in source: @escaping JSONStream.Source, to sink: HARFile.Sink, rest: HARFile.Sink
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
            do throws(Failure) { try sink(&lines) } catch { throw .output(error) }
        }
        do throws(Failure) { try rest(&lines) } catch { throw .output(error) }
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
            if entry.timings.untilOpen > .zero {
                event.add("timings", entry.timings.json)
            }
            if !entry.requestFields.isEmpty {
                event.add(
                    "request_headers", ReportedHead.json(HTTPFields(entry.requestFields), without: SecretRecord()))
            }
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
private enum HARConversionError: Error {
    case input(HARError)
    case output(Failure)
}
