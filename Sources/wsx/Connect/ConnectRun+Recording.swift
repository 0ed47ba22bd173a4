import WSCore

// Events: for standard output, where it is to have them, and for the recording.
extension ConnectRun {
    /// Begins to record the session, or to record it elsewhere.
    /// - Parameters:
    ///   - path: The file.
    ///   - isReplacing: Whether a file that is there is emptied; otherwise it is an error.
    func startRecording(to path: String, replacing isReplacing: Bool) throws(IOError) {
        stopRecording()
        let recorder = try Recorder(path: path, replacing: isReplacing, on: loop)
        recorder.didDrain = { [unowned self] in outputDidDrain() }
        recorder.didFail = { [unowned self] error in recordingDidFail(path, error) }
        outputs.recorder = recorder
    }

    /// Ends the recording, if there is one, and says so; what had to wait for it goes on.
    func stopRecording() {
        outputs.recorder?.flush()
        // Writing may have failed just now, which has been said.
        guard let recorder = outputs.recorder else { return }
        outputs.recorder = nil
        let path = escapingControls(recorder.path)
        if recorder.isDrained {
            console.notice("Recorded in \(path).")
        } else {
            console.error("recording to \(path): its reader has not taken all of it; the end is missing")
        }
        recorder.close()
        outputDidDrain()
    }

    /// Writes an event wherever events go.
    func writeEvent(_ write: (EventWriter) -> Void) {
        if let events = outputs.messages?.events { write(events) }
        if let recorder = outputs.recorder { write(recorder.events) }
    }

    /// Nothing is recorded any more, which ends the run, but leaves the user at the prompt.
    private func recordingDidFail(_ path: String, _ error: IOError) {
        let failure = Failure.recording(path: path, error)
        outputs.recorder = nil
        if repl == nil { end(with: failure) } else { console.report(failure) }
        outputDidDrain()
    }
}
