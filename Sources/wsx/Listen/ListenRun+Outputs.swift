import WSCore

// Whatever shows or keeps the messages, and can have the clients wait.
extension ListenRun {
    /// Whether standard output or the recording does not keep up, the user's editor has the terminal for long, or what
    /// clients send to all others waits for its time.
    var isOutputFull: Bool {
        output?.isFull ?? false || recorder?.isFull ?? false || editor?.holdsMuch ?? false
            || (settings.arguments.mode == .broadcast && fullGateCount > 0)
    }

    /// Whether nothing waits to be written.
    var areOutputsDrained: Bool { output?.isDrained ?? true && recorder?.isDrained ?? true }

    /// An output has taken everything that had to wait.
    func outputDidDrain() {
        if outputTurns.isOutputWaitedFor, !isOutputFull {
            outputTurns.didDrain()
            for connection in server.connections.values { connection.resumeReading() }
        }
        if recorder != nil { readOn() }
        if isStopping, areOutputsDrained { loop.stop() }
    }

    /// Standard output cannot be written any more. A reader that has gone away is a normal end.
    func outputDidFail(_ error: IOError) {
        end(with: error == .brokenPipe ? nil : .output(error))
    }

    /// Pauses all clients while the outputs do not keep up: each may have a large message that has been read.
    func waitForOutput(_ connection: Connection<ListenClient>) {
        guard isOutputFull else { return }
        if !outputTurns.isOutputWaitedFor {
            for other in server.connections.values { other.pauseReading() }
        }
        // One that has come since then, too.
        connection.pauseReading()
        outputTurns.didFill(with: connection.handler.number)
    }
}
