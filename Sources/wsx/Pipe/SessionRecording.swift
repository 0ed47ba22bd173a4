import WSCore

/// The recording of a session, which the user can start and stop at a prompt.
final class SessionRecording {
    /// The recording in progress, or `nil` without one.
    private(set) var recorder: Recorder?
    /// Called when the recording has written its backlog, or no longer has to be waited for.
    var didDrain: () -> Void = {}
    /// Called when writing fails, which ends the recording.
    var didFail: (Failure) -> Void = { _ in }

    private let console: Console
    private let loop: EventLoop

    init(console: Console, on loop: EventLoop) {
        self.console = console
        self.loop = loop
    }

    /// The file of the recording, or `nil` without one.
    var path: String? { recorder?.path }

    /// Starts recording, and ends a recording in progress.
    /// - Parameters:
    ///   - path: The file.
    ///   - isReplacing: Whether to truncate an existing file. Otherwise an existing file is an error.
    func start(to path: String, replacing isReplacing: Bool) throws(IOError) {
        stop()
        let recorder = try Recorder(path: path, replacing: isReplacing, without: console.secrets, on: loop)
        recorder.didDrain = { [unowned self] in didDrain() }
        recorder.didFail = { [unowned self] error in
            self.recorder = nil
            didFail(.recording(path: path, error))
        }
        self.recorder = recorder
    }

    /// Ends the recording in progress, if any, and reports it.
    func stop() {
        recorder?.flush()
        // The flush may have failed just now. The failure has been reported.
        guard let recorder else { return }
        self.recorder = nil
        if let loss = recorder.loss {
            console.error("\(loss)")
        } else {
            console.notice("Recorded to \(escapingControls(recorder.path)).")
        }
        recorder.close()
        didDrain()
    }

    /// Performs `/record`: starts recording, or stops if `path` is `nil`.
    func record(to path: String?) {
        guard let path = path.map(UserFiles.expandingHome) else {
            guard recorder != nil else {
                return console.error("/record: not recording; /record FILE starts a recording")
            }
            return stop()
        }
        do throws(IOError) {
            try start(to: path, replacing: false)
            console.notice("Recording to \(escapingControls(path)); /record stops it.")
        } catch {
            let hint = error == .fileExists ? "; use another name" : ""
            console.error("/record: \(escapingControls(path)): \(error)\(hint)")
        }
    }
}
