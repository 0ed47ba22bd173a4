import WSCore

/// Records a session as JSON events of both directions, in a form that `--input json` replays.
final class Recorder {
    /// Where the recording is.
    let path: String
    /// Writes the events.
    let events: EventWriter

    private let file: OutputFile
    private let writer: DescriptorWriter

    /// Begins a recording: makes the file, for its owner alone.
    /// - Parameter isReplacing: Whether a file that is there is emptied; otherwise it is an error.
    init(path: String, replacing isReplacing: Bool = true, on loop: EventLoop) throws(IOError) {
        self.path = path
        file = try OutputFile(creating: path, replacing: isReplacing)
        writer = try DescriptorWriter(descriptor: file.descriptor, on: loop)
        events = EventWriter(writer, on: loop)
        events.write("recording") { _ in }
    }

    /// Whether the session is to pause until ``didDrain``. Files never have it wait, but pipes do.
    var isFull: Bool { writer.pendingBytes > MessageWriter.queueLimitBytes }
    /// Whether nothing waits to be written.
    var isDrained: Bool { writer.pendingBytes == 0 }

    /// Called whenever nothing is left to be written.
    var didDrain: (() -> Void)? {
        get { writer.didDrain }
        set { writer.didDrain = newValue }
    }
    /// Called once when writing fails; nothing is recorded any more.
    var didFail: ((IOError) -> Void)? {
        get { writer.didFail }
        set { writer.didFail = newValue }
    }

    /// Writes what can be written at once.
    func flush() {
        writer.flush()
    }

    /// What it means that a recording cannot begin.
    static func failure(to path: String, _ error: IOError) -> Failure {
        let why = error == .noReader ? "nobody reads from it" : "\(error)"
        return .badArgument(what: "--record \(escapingControls(path))", why: why)
    }

    /// Ends the recording.
    func close() {
        writer.flush()
        writer.close()
    }
}
