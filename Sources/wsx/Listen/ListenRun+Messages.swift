import WSCore

// What comes from the clients.
extension ListenRun {
    /// Shows a client's message.
    func received(_ payload: RawSpan, as kind: MessageKind, from number: Int, on connection: Connection<ListenClient>) {
        if let editor {
            if kind == .text { editor.words.remember(payload) }
            if editor.holdsMuch { connection.pauseReading() }
        }
        if let output {
            output.write(payload, as: kind, client: number)
            waitForOutput(connection)
        } else if editor != nil {
            console.show(transcript.message(payload, as: kind, .received, client: number).text)
        }
    }

    /// Shows a ping or a pong.
    func received(
        control opcode: Opcode, _ payload: RawSpan, from number: Int, on connection: Connection<ListenClient>
    ) {
        output?.writeControl(opcode == .ping ? "ping" : "pong", payload, client: number)
        waitForOutput(connection)
        if showsFrames { console.show(transcript.control(opcode, payload, .received, client: number)) }
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

    /// Pauses all clients while standard output does not keep up: each may have a large message that has been read.
    private func waitForOutput(_ connection: Connection<ListenClient>) {
        guard let output, output.isFull else { return }
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
    /// Sends a message of the input to every client.
    func received(input record: RawSpan, number: Int) {
        guard settings.kind == .binary || UTF8Validator.isValid(record) else {
            return console.error("input message \(number) is not UTF-8 text and was not sent; --binary sends it")
        }
        sendToAll(record, as: settings.kind)
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
        let reader =
            input
            ?? InputReader(
                settings.arguments.input, stripsCarriageReturn: settings.arguments.stripsCarriageReturn, receiver: self)
        input = reader
        reader.start(on: loop)
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
        guard !isWaitedFor else { return }
        for connection in server.connections.values { connection.resumeReading() }
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
        case .file, .sendJSON, .repeatMessage, .reconnect, .connect, .headers, .info: break
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
