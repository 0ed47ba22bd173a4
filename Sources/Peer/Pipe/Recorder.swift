import Conversation
import UserInterface
import WSCore

/// Records both directions of a session as JSON events, which `--input json` can replay.
package final class Recorder {
    /// The path of the recording.
    let path: String
    /// Writes the events.
    package let events: EventWriter

    /// Keeps the descriptor open.
    private let file: AnyObject
    private let writer: DescriptorWriter

    /// Starts a recording in a new file that only its owner may access.
    /// - Parameters:
    ///   - isReplacing: Whether to truncate an existing file. Otherwise an existing file is an error.
    ///   - codecs: How the run decodes messages; see ``RecordedCodecs``.
    ///   - secrets: The secrets of the run, which a peer may repeat.
    convenience init(
        path: String, replacing isReplacing: Bool = true, codecs: [String], without secrets: SecretRecord,
        on loop: EventLoop
    ) throws(IOError) {
        let file = try OutputFile(creating: path, replacing: isReplacing)
        try self.init(to: file.descriptor, of: file, for: path, codecs: codecs, without: secrets, on: loop)
    }

    /// Starts a recording in a file without a name, which becomes another file at `path` later.
    convenience init(
        to file: SeekableFile, for path: String, codecs: [String], without secrets: SecretRecord, on loop: EventLoop
    ) throws(IOError) {
        try self.init(to: file.descriptor, of: file, for: path, codecs: codecs, without: secrets, on: loop)
    }

    private init(
        to descriptor: Int32, of file: AnyObject, for path: String, codecs: [String], without secrets: SecretRecord,
        on loop: EventLoop
    ) throws(IOError) {
        self.path = path
        self.file = file
        writer = try DescriptorWriter(descriptor: descriptor, on: loop)
        events = EventWriter(writer, without: secrets, on: loop)
        events.write("recording") { if !codecs.isEmpty { $0.add("decode", codecs) } }
    }

    /// Whether the session should pause until ``didDrain``. This happens with pipes, never with files.
    package var isFull: Bool { writer.pendingBytes > MessageWriter.queueLimitBytes }
    /// Whether no data is left to write.
    package var isDrained: Bool { writer.pendingBytes == 0 }
    /// What the recording would lack if it ended now, or `nil`.
    package var loss: OutputLoss? { isDrained ? nil : .recording(path: path) }

    /// Called whenever the last byte has been written.
    var didDrain: (() -> Void)? {
        get { writer.didDrain }
        set { writer.didDrain = newValue }
    }
    /// Called once when writing fails, which ends the recording.
    var didFail: ((IOError) -> Void)? {
        get { writer.didFail }
        set { writer.didFail = newValue }
    }

    /// Writes as much as the file accepts now.
    package func flush() {
        writer.flush()
    }

    /// The failure to report if a recording cannot start.
    package static func failure(to path: String, _ error: IOError) -> Failure {
        let why =
            switch error {
            case .noReader: "no program reads from the pipe; start its reader first"
            // Only if another format is written at the end.
            case .fileExists: "\(error); use another name"
            default: error.fileProblem
            }
        return .badArgument(what: "--record \(escapingControls(path))", why: why)
    }

    /// Ends the recording.
    func close() {
        writer.flush()
        writer.close()
    }
}
