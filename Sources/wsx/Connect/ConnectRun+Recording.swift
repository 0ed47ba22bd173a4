import WSCore

// Events: for standard output, where it is to have them, and for the recording.
extension ConnectRun {
    /// Begins to record the session, or to record it elsewhere.
    /// - Parameter path: The file, which is made, or emptied when it is there.
    func startRecording(to path: String) throws(IOError) {
        let recorder = try Recorder(path: path, on: loop)
        recorder.didDrain = { [unowned self] in outputDidDrain() }
        recorder.didFail = { [unowned self] error in recordingDidFail(path, error) }
        stopRecording()
        self.recorder = recorder
    }

    /// Ends the recording, if there is one.
    func stopRecording() {
        recorder?.close()
        recorder = nil
    }

    /// Writes an event wherever events go.
    func writeEvent(_ write: (EventWriter) -> Void) {
        if let events = output?.events { write(events) }
        if let recorder { write(recorder.events) }
    }

    /// Nothing is recorded any more, which ends the run, but leaves the user at the prompt.
    private func recordingDidFail(_ path: String, _ error: IOError) {
        let failure = Failure.recording(path: path, error)
        guard repl != nil else { return end(with: failure) }
        recorder = nil
        console.report(failure)
    }
}
