import WSCore

// What comes from the clients.
extension ListenRun {
    /// Shows a client's message.
    func received(_ payload: RawSpan, as kind: MessageKind, from number: Int, on connection: Connection<ListenClient>) {
        if kind == .text { editor?.words.remember(payload) }
        recorder?.events.writeMessage(payload, as: kind, client: number)
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
        let roundTrip = opcode == .pong ? watch?.pongReceived(payload, from: number) : nil
        writeEvent { $0.writeControl(opcode, payload, roundTrip: roundTrip, client: number) }
        if showsFrames { console.show(transcript.control(opcode, payload, .received, client: number)) }
        waitForOutput(connection)
    }

    /// Shows a close frame.
    func received(close frame: CloseFrame, from number: Int) {
        if showsFrames { console.show(transcript.close(frame, .received, client: number)) }
    }

    /// Shows a heartbeat.
    func sentHeartbeat(_ payload: [UInt8], to number: Int) {
        guard showsFrames else { return }
        console.show(transcript.control(.ping, payload.span.bytes, .sent, client: number))
    }

    /// Shows a message that was sent back.
    func echoed(_ payload: RawSpan, as kind: MessageKind, to number: Int) {
        recorder?.events.writeMessage(payload, as: kind, .outgoing, client: number)
        guard settings.arguments.verbosity > 1 else { return }
        console.show(transcript.message(payload, as: kind, .sent, client: number).text)
    }

    /// Sends a client's message to all others.
    func relay(_ payload: RawSpan, as kind: MessageKind, from sender: Connection<ListenClient>) {
        defer { budget.spend(payload.byteCount, for: clientCount, from: sender.handler.number) }
        guard !settings.needsGates else { return sendThroughGates(payload, as: kind, from: sender) }
        recordToAll(payload, as: kind, from: sender)
        if server.send(payload, as: kind, toAllBut: sender) { slowReaders.hold(sender.handler.number) }
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
            default:
                for connection in server.connections.values where connection.takesMessages {
                    sendFromInput(item, payload, to: connection)
                }
            }
            return
        }
        guard let connection = server.connections[client] else {
            let what = input?.recordName ?? "input"
            return console.error("\(what) was not sent: there is no client \(client)")
        }
        guard connection.takesMessages else {
            let what = input?.recordName ?? "input"
            return console.error("\(what) was not sent: client \(client) is being closed")
        }
        sendFromInput(item, payload, to: connection)
    }

    /// Leaves out what cannot be sent.
    func received(badInput what: String, _ problem: InputProblem) {
        console.error("\(what) was not sent: \(problem)")
    }

    private func sendFromInput(_ item: InputItem, _ payload: RawSpan, to connection: Connection<ListenClient>) {
        let isShown =
            switch item {
            case .message: settings.arguments.verbosity > 1
            default: showsFrames
            }
        if isShown { showSent(item, payload, client: connection.handler.number) }
        send(item, payload, to: connection)
    }

    /// Shows what is sent to one client, or to all.
    func showSent(_ item: InputItem, _ payload: RawSpan, client: Int?) {
        switch item {
        case .message(let kind): console.show(transcript.message(payload, as: kind, .sent, client: client).text)
        case .ping: console.show(transcript.control(.ping, payload, .sent, client: client))
        case .pong: console.show(transcript.control(.pong, payload, .sent, client: client))
        case .close(let frame?), .end(let frame): console.show(transcript.close(frame, .sent, client: client))
        case .close(nil): break
        }
    }

    /// Sends something to one client, through its gate if it has one.
    func send(_ item: InputItem, _ payload: RawSpan, to connection: Connection<ListenClient>) {
        if connection.handler.letsThrough(item, payload) { pass(item, payload, to: connection) }
    }

    /// Sends what a gate lets through.
    func pass(_ item: InputItem, _ payload: RawSpan, to connection: Connection<ListenClient>) {
        let number = connection.handler.number
        switch item {
        case .message(let kind):
            guard connection.send(payload, as: kind) else { return }
            if settings.arguments.mode.answersByItself {
                echoed(payload, as: kind, to: number)
            } else {
                recorder?.events.writeMessage(payload, as: kind, .outgoing, client: number)
            }
        case .ping: if connection.sendPing(payload) { record(control: .ping, payload, to: number) }
        case .pong: if connection.sendPong(payload) { record(control: .pong, payload, to: number) }
        case .close(let frame?), .end(let frame): close(connection, with: frame)
        // The end of one session is not the end of the server.
        case .close(nil): break
        }
    }

    /// Full queues pause the input, and so does the lack of clients.
    func receivedInputPiece() {
        slowReaders.hold()
        if holdsInput { input?.pause() }
    }

    /// Whether there is nobody to send the input to, somebody or the recording does not keep up, much waits for its time,
    /// or the input has had its share of the turn.
    private var holdsInput: Bool {
        server.connections.isEmpty || !slowReaders.isEmpty || recorder?.isFull ?? false || fullGateCount > 0
            || budget.holdsInput
    }

    /// The end of the input is not the end of the server.
    func inputEnded(_ error: IOError?) {
        inputIsOver = true
        if let error, error != .badDescriptor { console.error("reading standard input: \(error)") }
    }

    /// Reads the input, or goes on reading it, while there is somebody to send it to.
    func readOn() {
        guard settings.readsPipe, !inputIsOver, !isEnding else { return }
        guard !holdsInput else {
            input?.pause()
            return
        }
        let reader = input ?? InputReader(settings.arguments.inputSettings, on: loop, receiver: self)
        input = reader
        reader.start()
    }

    /// Whether there is a client to whom something can still be sent.
    var hasRecipients: Bool { server.connections.values.contains(where: \.takesMessages) }

    /// Sends a message to every client.
    func sendToAll(_ payload: RawSpan, as kind: MessageKind) {
        if editor != nil || settings.arguments.verbosity > 1, hasRecipients {
            showSent(.message(kind), payload, client: nil)
        }
        defer { budget.spend(payload.byteCount, for: clientCount, from: nil) }
        guard !settings.needsGates else { return sendThroughGates(payload, as: kind) }
        recordToAll(payload, as: kind)
        server.send(payload, as: kind)
    }
}

extension Connection<ListenClient> {
    /// Whether what is sent goes to the client: no close frame has been sent, or waits to be.
    var takesMessages: Bool { !isClosing && !handler.isLeaving }
}
