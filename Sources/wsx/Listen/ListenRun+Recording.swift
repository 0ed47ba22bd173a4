import WSCore

// Events: for standard output, where it is to have them, and for the recording.
extension ListenRun {
    /// Begins to record what the clients and the server say, if that is asked for.
    func startRecording() throws(Failure) {
        guard let path = settings.arguments.recordPath else { return }
        do throws(IOError) {
            let recorder = try Recorder(path: path, on: loop)
            recorder.didDrain = { [unowned self] in outputDidDrain() }
            recorder.didFail = { [unowned self] error in recordingDidFail(path, error) }
            self.recorder = recorder
        } catch {
            throw Recorder.failure(to: path, error)
        }
    }

    /// Writes an event wherever events go.
    func writeEvent(_ write: (EventWriter) -> Void) {
        if let events = output?.events { write(events) }
        if let recorder { write(recorder.events) }
    }

    /// Records a message that goes to every client.
    /// - Parameter sender: The client whose message it is, which does not get it; nil: it is nobody's.
    func recordToAll(_ payload: RawSpan, as kind: MessageKind, from sender: Connection<ListenClient>? = nil) {
        guard let recorder else { return }
        let receivers = server.connections.values.lazy.filter { $0 !== sender && !$0.isClosing }
        recorder.events.writeMessage(payload, as: kind, toClients: receivers.map(\.handler.number))
    }

    /// Records a ping or a pong of the user's, or of a replay.
    func record(control opcode: Opcode, _ payload: RawSpan, to client: Int) {
        recorder?.events.writeControl(opcode, payload, .outgoing, client: client)
    }

    /// Records a close frame.
    func record(close frame: CloseFrame, to client: Int) {
        recorder?.events.writeClose(sent: frame, client: client)
    }

    /// Closes a connection with a frame, and records that.
    func close(_ connection: Connection<ListenClient>, with frame: CloseFrame) {
        guard connection.close(frame) else { return }
        record(close: frame, to: connection.handler.number)
        connection.handler.didClose(connection)
    }

    /// Nothing is recorded any more, which ends the server, but leaves the user at the prompt.
    private func recordingDidFail(_ path: String, _ error: IOError) {
        recorder = nil
        let failure = Failure.recording(path: path, error)
        if editor != nil {
            console.report(failure)
            outputDidDrain()
        } else {
            end(with: failure)
        }
    }
}
