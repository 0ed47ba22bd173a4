import Conversation
import Formats
import UserInterface
import WSCore

/// A session that is written as a HAR file or a page, through a recording in a file without a name.
package struct SavedSession {
    private let format: SessionInput.Format
    private let path: String

    /// Prepares a new file. Returns `nil` if the extension of its path names another format, or none.
    init?(to path: String) {
        guard let format = SessionInput.Format(ofOutput: path), format != .recording else { return nil }
        self.format = format
        self.path = path
    }

    /// The conversion of a recording to the format that a path names, for ``SessionRecording``.
    package static func conversion(to path: String) -> SessionRecording.Conversion? {
        guard let session = SavedSession(to: path) else { return nil }
        return { (file) throws(Failure) in try session.write(file) }
    }

    /// Writes a recording.
    /// - Parameter firstNumber: The number of its first message.
    /// - Returns: False if it has no connection. Then the file is not written.
    /// - Throws: ``Failure/badArgument(what:why:)`` if the file exists, or ``Failure/writing(path:_:)``.
    func write(_ recording: SeekableFile, firstNumber: Int = 1) throws(Failure) -> Bool {
        let input = SessionInput(recording, named: "the session")
        let contents = try RecordingIndex.contents(of: input, firstNumber: firstNumber)
        guard !contents.isEmpty else { return false }
        try SessionFile.write(contents, of: input, as: format, to: path)
        return true
    }

    /// Writes the messages of a prompt.
    /// - Parameters:
    ///   - url: The URL of the connection, or of the server.
    ///   - isServer: Whether messages belong to the connections of clients.
    func write(
        _ log: MessageLog, url: String, isServer: Bool, temporaryDirectory: String, without secrets: SecretRecord
    ) throws(Failure) {
        let file: SeekableFile
        do throws(IOError) {
            file = try SeekableFile(unnamedIn: temporaryDirectory)
        } catch {
            throw .writing(path: temporaryDirectory, error)
        }
        let output = SessionOutput(to: file, in: temporaryDirectory)
        var lines = ByteBuffer()
        var opened: Set<Int?> = []
        for entry in log.kept {
            let time = Array(EventTime.text(of: entry.moment.wallTime).utf8)
            // A message from a server to all clients belongs to the connections before it.
            if !isServer || entry.client != nil, opened.insert(entry.client).inserted {
                var event = JSONEvent("open", time: time.span.bytes, into: lines.takeAll())
                event.add("url", secrets.masking(line: url))
                if let client = entry.client { event.add("client", client) }
                lines = event.finish()
            }
            var event = JSONEvent("message", time: time.span.bytes, into: lines.takeAll())
            event.add(entry.payload.span.bytes, as: entry.kind, entry.direction == .received ? .incoming : .outgoing)
            if let client = entry.client { event.add("client", client) }
            lines = event.finish()
            try output.writeIfLarge(&lines)
        }
        try output.write(&lines)
        _ = try write(file, firstNumber: log.kept.first?.number ?? 1)
    }
}

/// Contents of a recording, written in another format.
package enum SessionFile {
    /// Writes a new file.
    /// - Parameter path: `-` is standard output.
    package static func write(
        _ contents: RecordingContents, of input: SessionInput, as format: SessionInput.Format, to path: String
    ) throws(Failure) {
        let output = try SessionOutput(path)
        if format == .page {
            try write(contents, of: input, to: output) { SessionPage() }
        } else {
            try write(contents, of: input, to: output) { HARWriter(version: version) }
        }
    }

    /// Writes a file. If there is no space for all of it, it gets the messages that fit.
    private static func write<Writer: SessionWriter & ~Copyable>(
        _ contents: RecordingContents, of input: SessionInput, to output: borrowing SessionOutput,
        by makeWriter: () -> Writer
    ) throws(Failure) {
        let lack: (path: String, error: IOError)
        do throws(Failure) {
            return try write(contents, of: input, to: output, by: makeWriter())
        } catch {
            guard case .writing(let path, let reason) = error, reason.isLackOfSpace else { throw error }
            lack = (path, reason)
        }
        var measurement = RecordingConversion(input, to: makeWriter())
        let stepCount = try measurement.stepCount(of: contents, within: output.fileByteCount ?? 0)
        guard stepCount > 0 else { throw .writing(path: lack.path, lack.error) }
        try output.empty()
        try write(contents, of: input, atMost: stepCount, to: output, by: makeWriter())
        throw .cutShort(path: lack.path, lack.error)
    }

    private static func write<Writer: SessionWriter & ~Copyable>(
        _ contents: RecordingContents, of input: SessionInput, atMost stepCount: Int = .max,
        to output: borrowing SessionOutput, by writer: consuming Writer
    ) throws(Failure) {
        var conversion = RecordingConversion(input, to: writer)
        try conversion.write(contents, atMost: stepCount) { (text) throws(Failure) in
            try output.writeIfLarge(&text)
        }
        try conversion.withText { (text) throws(Failure) in try output.write(&text) }
        try output.complete()
    }
}

extension MessageView {
    /// Makes `/save` write HAR files and pages.
    /// - Parameters:
    ///   - isServer: Whether messages belong to the connections of clients.
    ///   - url: Returns the URL of the connection, or of the server.
    package func offerSessions(isServer: Bool, url: @escaping () -> String) {
        saveSession = { [unowned self] path in
            guard let session = SavedSession(to: path) else { return false }
            guard let first = log.kept.first else {
                diagnostics.error("/save: no messages yet")
                return true
            }
            do throws(Failure) {
                try session.write(
                    log, url: url(), isServer: isServer, temporaryDirectory: diagnostics.temporaryDirectory,
                    without: diagnostics.secrets)
                diagnostics.notice("Saved messages \(first.number) to \(log.lastNumber) in \(escapingControls(path)).")
            } catch {
                diagnostics.report(error)
            }
            for entry in log.kept where entry.isCut { reportCut(entry) }
            return true
        }
    }
}
