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

    /// Pauses all clients while the outputs do not keep up: each may have a large message that has been read.
    func waitForOutput(_ connection: Connection<ListenClient>) {
        guard isOutputFull else { return }
        if !isWaitedFor {
            isWaitedFor = true
            for other in server.connections.values { other.pauseReading() }
        }
        // One that has come since then, too.
        connection.pauseReading()
    }

    private var showsFrames: Bool { !settings.isEmbedded && (editor != nil || settings.arguments.verbosity > 0) }
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
        holdInputForSlowReaders()
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

    private func sendToAll(_ payload: RawSpan, as kind: MessageKind) {
        if editor != nil || settings.arguments.verbosity > 1 {
            console.show(transcript.message(payload, as: kind, .sent).text)
        }
        for connection in server.connections.values { connection.send(payload, as: kind) }
    }
}

extension ListenRun: LineEditor.Delegate {
    /// Carries out a line that was typed, or sends it to every client.
    func editor(_ editor: LineEditor, didAccept line: [UInt8]) {
        switch ReplLine(line, commands: Self.commands) {
        case .message(let bytes): sendTyped(bytes)
        case .action(let action): carryOut(action)
        case .mistake(let why): console.error(why)
        }
    }

    /// Ctrl-D ends the server.
    func editorDidReachEnd(_ editor: LineEditor) {
        end()
    }

    /// Goes on after the user's editor.
    func editor(_ editor: LineEditor, didReturnWith problem: String?) {
        if let problem { console.error("/edit: \(problem)") }
        outputDidDrain()
    }

    static let commands = ReplCommand.commands(forServer: true)

    private func carryOut(_ action: ReplAction) {
        switch action {
        case .ping(let payload): sendTyped(control: .ping, payload)
        case .pong(let payload): sendTyped(control: .pong, payload)
        case .close(let frame):
            console.show(transcript.close(frame, .sent))
            for connection in server.connections.values { connection.close(frame) }
        case .pretty(let isPretty): console.setPretty(isPretty, of: transcript)
        case .time(let style): console.setTime(style, of: transcript)
        case .help(let topic): console.showHelp(topic, of: Self.commands)
        case .history(let query): editor.map { console.showHistory(query, of: $0.history) }
        case .edit(let source): editor.map { console.edit(source, with: $0) }
        case .quit: end()
        // The table leaves the others to `connect`.
        case .binary, .file, .sendJSON, .repeatMessage, .reconnect, .connect, .headers, .info, .record: break
        case .show, .find, .filter, .save: break
        }
    }

    private func sendTyped(_ line: [UInt8]) {
        guard !server.connections.isEmpty else { return console.error("there is no client to send to") }
        line.withUnsafeBytes { bytes in
            guard settings.kind == .binary || UTF8Validator.isValid(bytes.bytes) else {
                return console.error("the line is not UTF-8 text and was not sent")
            }
            sendToAll(bytes.bytes, as: settings.kind)
        }
    }

    private func sendTyped(control opcode: Opcode, _ payload: [UInt8]) {
        payload.withUnsafeBytes { bytes in
            console.show(transcript.control(opcode, bytes.bytes, .sent))
            for connection in server.connections.values {
                if opcode == .ping { connection.sendPing(bytes.bytes) } else { connection.sendPong(bytes.bytes) }
            }
        }
    }
}
