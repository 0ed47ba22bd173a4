import WSCore

// What comes from the clients.
extension ListenRun {
    /// Shows a client's message.
    func received(_ payload: RawSpan, as kind: MessageKind, from number: Int, on connection: Connection<ListenClient>) {
        if kind == .text { editor?.words.remember(payload) }
        if let output {
            output.write(payload, as: kind, client: number)
        } else if editor != nil {
            console.show(transcript.message(payload, as: kind, .received, client: number).text)
        }
        waitForOutput(connection)
    }

    /// Shows a ping or a pong.
    func received(
        control opcode: Opcode, _ payload: RawSpan, from number: Int, on connection: Connection<ListenClient>
    ) {
        output?.events?.writeControl(opcode, payload, client: number)
        if showsFrames { console.show(transcript.control(opcode, payload, .received, client: number)) }
        waitForOutput(connection)
    }

    /// Shows a close frame.
    func received(close frame: CloseFrame, from number: Int) {
        if showsFrames { console.show(transcript.close(frame, .received, client: number)) }
    }

    /// Shows a message that was sent back.
    func echoed(_ payload: RawSpan, as kind: MessageKind, to number: Int) {
        guard settings.arguments.verbosity > 1 else { return }
        console.show(transcript.message(payload, as: kind, .sent, client: number).text)
    }

    /// Sends a client's message to all others.
    func relay(_ payload: RawSpan, as kind: MessageKind, from sender: Connection<ListenClient>) {
        if server.send(payload, as: kind, toAllBut: sender) { holdForSlowReaders(sender) }
    }

    /// Whether pings, pongs and close frames are shown.
    var showsFrames: Bool { !settings.isEmbedded && (editor != nil || settings.arguments.verbosity > 0) }
}

extension ListenRun: InputReader.Receiver {
    /// Sends what the input asks for, to every client or to the one that it names.
    func received(input item: InputItem, _ payload: RawSpan, client: Int?) {
        guard let client else {
            switch item {
            case .message(let kind): sendToAll(payload, as: kind)
            default: for connection in server.connections.values { send(item, payload, to: connection) }
            }
            return
        }
        guard let connection = server.connections[client] else {
            let what = input?.recordName ?? "input"
            return console.error("\(what) was not sent: there is no client \(client)")
        }
        send(item, payload, to: connection)
    }

    /// Leaves out what cannot be sent.
    func received(badInput what: String, _ problem: InputProblem) {
        console.error("\(what) was not sent: \(problem)")
    }

    private func send(_ item: InputItem, _ payload: RawSpan, to connection: Connection<ListenClient>) {
        let number = connection.handler.number
        switch item {
        case .message(let kind):
            if settings.arguments.verbosity > 1 {
                console.show(transcript.message(payload, as: kind, .sent, client: number).text)
            }
            connection.send(payload, as: kind)
        case .ping: send(control: .ping, payload, to: connection)
        case .pong: send(control: .pong, payload, to: connection)
        case .close(let frame?), .end(let frame):
            if showsFrames { console.show(transcript.close(frame, .sent, client: number)) }
            connection.close(frame)
        // The end of one session is not the end of the server.
        case .close(nil): break
        }
    }

    private func send(control opcode: Opcode, _ payload: RawSpan, to connection: Connection<ListenClient>) {
        if showsFrames {
            console.show(transcript.control(opcode, payload, .sent, client: connection.handler.number))
        }
        if opcode == .ping { connection.sendPing(payload) } else { connection.sendPong(payload) }
    }

    /// Full queues pause the input, and so does the lack of clients.
    func receivedInputPiece() {
        holdForSlowReaders()
        if server.connections.isEmpty { input?.pause() }
    }

    /// The end of the input is not the end of the server.
    func inputEnded(_ error: IOError?) {
        inputIsOver = true
        if let error, error != .badDescriptor { console.error("reading standard input: \(error)") }
    }

    /// Reads the input, or goes on reading it, while there is somebody to send it to.
    func readOn() {
        guard settings.readsPipe, !inputIsOver, !isEnding else { return }
        guard !server.connections.isEmpty else {
            input?.pause()
            return
        }
        let reader = input ?? InputReader(settings.arguments.inputSettings, on: loop, receiver: self)
        input = reader
        reader.start()
    }

    /// Sends a message to every client.
    func sendToAll(_ payload: RawSpan, as kind: MessageKind) {
        if editor != nil || settings.arguments.verbosity > 1 {
            console.show(transcript.message(payload, as: kind, .sent).text)
        }
        server.send(payload, as: kind)
    }
}
