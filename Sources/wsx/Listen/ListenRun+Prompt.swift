import WSCore

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
            for connection in server.connections.values { close(connection, with: frame) }
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
            for connection in server.connections.values { sendUnshown(control: opcode, bytes.bytes, to: connection) }
        }
    }
}
