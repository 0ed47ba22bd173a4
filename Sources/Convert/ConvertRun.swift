import Formats
import Peer
import UserInterface
import WSCore

/// A run of `wsx convert`.
package struct ConvertRun {
    private let arguments: ConvertArguments
    private let diagnostics: Diagnostics
    private let input: SessionInput

    /// Opens the input.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package init(_ arguments: ConvertArguments, diagnostics: Diagnostics) throws(Failure) {
        self.arguments = arguments
        self.diagnostics = diagnostics
        if arguments.isListing, let output = arguments.output {
            throw .badArgument(what: escapingControls(output), why: "--list writes no file; leave it out")
        }
        if !arguments.isListing, arguments.output == nil {
            throw .badArgument(
                what: "OUT", why: "name the file to write, such as session.har or session.jsonl; '-' is standard output"
            )
        }
        input = try SessionInput(arguments.input, temporaryDirectory: diagnostics.temporaryDirectory)
    }

    /// Lists or converts connections.
    package func run() throws(Failure) {
        let target = try arguments.output.flatMap { (path) throws(Failure) in try Self.format(ofOutput: path) }
        let source = try input.format()
        if target == source {
            throw .badArgument(
                what: escapingControls(arguments.output ?? ""),
                why: source == .har
                    ? "the input is a HAR file already; name a recording, such as session.jsonl, or a page"
                    : "the input is a recording already; name a HAR file, such as session.har, or a page")
        }
        do throws(Failure) {
            switch source {
            case .har: try convertHAR(toPage: target == .page)
            case .recording, .page: try convertRecording(toPage: target == .page)
            }
        } catch .output(.brokenPipe) {
            // A reader that closes the pipe is a normal end.
        }
    }

    /// The format of the output. Returns `nil` for standard output.
    private static func format(ofOutput path: String) throws(Failure) -> SessionInput.Format? {
        guard path != "-" else { return nil }
        guard let format = SessionInput.Format(ofOutput: path) else {
            throw .badArgument(
                what: escapingControls(path),
                why: "its extension names no format; use .html, .har, or .jsonl for a recording")
        }
        return format
    }

    // MARK: HAR to recording

    private func convertHAR(toPage isPage: Bool) throws(Failure) {
        let file = try HARFile(input)
        let entries = file.entries
        let summaries = entries.map(ConnectionSummary.init)
        guard !arguments.isListing else { return try list(summaries) }
        guard let number = try input.chosen(arguments.connection, of: entries.count) ?? file.onlyNumber else {
            let numbers = entries.indices.filter { entries[$0].messages != nil }.map { $0 + 1 }
            if isPage, !numbers.isEmpty { return try writePage(of: numbers, in: file) }
            throw input.failure(
                "it contains \(entries.count) WebSocket connections; choose one with --connection N:\n"
                    + Self.beginning(of: Self.lines(summaries)).map { "  " + $0 }.joined(separator: "\n"))
        }
        if isPage { return try writePage(of: [number], in: file) }
        // Do not create the file if the messages are missing.
        try file.messages(of: number)
        let output = try SessionOutput(arguments.output ?? "-")
        let omittedCount = try write(number, of: file, to: output)
        try output.complete()
        report(omittedCount, by: "Recordings")
    }

    /// Writes a page through a recording without a name.
    private func writePage(of numbers: [Int], in archive: HARFile) throws(Failure) {
        let directory = diagnostics.temporaryDirectory
        let file: SeekableFile
        do throws(IOError) {
            file = try SeekableFile(unnamedIn: directory)
        } catch {
            throw .writing(path: directory, error)
        }
        var omittedCount = 0
        do {
            let recording = SessionOutput(to: file, in: directory)
            for number in numbers { omittedCount += try write(number, of: archive, to: recording) }
        }
        let input = SessionInput(file, named: input.name)
        try SessionFile.write(
            RecordingIndex.contents(of: input), of: input, as: .page, to: arguments.output ?? "-")
        report(omittedCount, by: "Pages")
    }

    private func write(_ number: Int, of file: HARFile, to output: borrowing SessionOutput) throws(Failure) -> Int {
        try file.write(number) { (lines) throws(Failure) in
            try output.writeIfLarge(&lines)
        } rest: { (lines) throws(Failure) in
            try output.write(&lines)
        }
    }

    private func report(_ omittedCount: Int, by formats: String) {
        guard omittedCount > 0 else { return }
        let things = omittedCount == 1 ? "control frame or error" : "control frames and errors"
        diagnostics.notice("\(formats) have only messages of HAR files; omitted: \(omittedCount) \(things).")
    }

    // MARK: From recordings

    private func convertRecording(toPage isPage: Bool) throws(Failure) {
        var contents = try RecordingIndex.contents(of: input)
        guard !(arguments.isListing ? contents.connections.isEmpty : contents.isEmpty) else {
            throw input.failure("it contains no connection")
        }
        guard !arguments.isListing else {
            return try list(
                try contents.connections.map { (connection) throws(Failure) in
                    ConnectionSummary(connection, try RecordedOpening(connection, in: input))
                })
        }
        if let number = try input.chosen(arguments.connection, of: contents.connections.count) {
            contents.connections = [contents.connections[number - 1]]
            contents.requests = []
        }
        try SessionFile.write(contents, of: input, as: isPage ? .page : .har, to: arguments.output ?? "-")
        guard !isPage else { return }
        let losses = Self.losses(of: contents.connections)
        if !losses.isEmpty {
            diagnostics.notice("HAR has no control frames; omitted: \(losses.joined(separator: ", ")).")
        }
    }

    private static func losses(of connections: [RecordedConnection]) -> [String] {
        let pingCount = connections.reduce(0) { $0 + $1.pingCount }
        let codes = connections.reduce(into: Set<UInt16>()) { $0.formUnion($1.closeCodes) }.sorted()
        var losses: [String] = []
        if pingCount > 0 { losses.append(pingCount == 1 ? "1 ping or pong" : "\(pingCount) pings and pongs") }
        if !codes.isEmpty {
            let noun = codes.count == 1 ? "close code" : "close codes"
            losses.append("\(noun) \(codes.map(String.init).joined(separator: ", "))")
        }
        return losses
    }

    // MARK: Connections

    private func list(_ summaries: [ConnectionSummary]) throws(Failure) {
        let text = Self.lines(summaries).map { $0 + "\n" }.joined()
        if let error = StandardDescriptors.writeAll(text, to: StandardDescriptors.output) { throw .output(error) }
    }

    /// The lines for an error.
    private static func beginning(of lines: [String]) -> [String] {
        guard lines.count > maximumShownLines else { return lines }
        return lines.prefix(maximumShownLines) + [
            "\(Glyphs.ellipsis) (\(lines.count - maximumShownLines) more; --list shows all)"
        ]
    }

    private static let maximumShownLines = 20

    private static func lines(_ summaries: [ConnectionSummary]) -> [String] {
        summaries.enumerated().map { "\($0.offset + 1): \($0.element)" }
    }
}

/// A connection in a list.
private struct ConnectionSummary: CustomStringConvertible {
    /// Without secrets.
    let url: String
    let status: Int
    /// The messages that the client sent and received, or `nil` if they are not in the file.
    let counts: (sent: Int, received: Int)?
    let times: ClosedRange<Duration>?

    init(_ entry: HAREntry) {
        url = WebSocketURL.shown(entry.url)
        status = entry.status
        counts = entry.messages.map { ($0.sentCount, $0.receivedCount) }
        times = entry.messages?.times
    }

    init(_ connection: RecordedConnection, _ opening: RecordedOpening) {
        url = opening.url
        status = opening.status
        counts = (connection.sentCount, connection.receivedCount)
        times = connection.times
    }

    var description: String {
        let messages = counts.map { "\($0.sent) sent, \($0.received) received" } ?? "no messages"
        let duration = times.map { ", " + Phrase.duration($0.upperBound - $0.lowerBound) } ?? ""
        return "\(escapingControls(url)), status \(status == 0 ? "unknown" : "\(status)"), \(messages)\(duration)"
    }
}
