import WSCore

extension ListenRun: LineEditor.Delegate {
    /// Carries out a line that was typed, or sends it, for every client or the one that it names.
    func editor(_ editor: LineEditor, didAccept line: [UInt8]) {
        let addressed = AddressedLine(line)
        switch PromptLine(addressed.content, commands: PromptCommandTable.listen) {
        case .message(let bytes): sendTyped(bytes, to: addressed.client)
        case .empty: break
        case .action(let action): carryOut(action, for: addressed.client)
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

    static let commands = PromptCommandTable.listen.map(\.description)

    private func carryOut(_ action: ListenAction, for client: Int?) {
        switch action {
        case .shared(let action): carryOut(action, for: client)
        case .clients: showClients()
        }
    }

    private func carryOut(_ action: PromptAction, for client: Int?) {
        switch action {
        case .send(let bytes): sendTyped(bytes, to: client)
        case .ping(let payload): sendTyped(.ping, payload, to: client)
        case .pong(let payload): sendTyped(.pong, payload, to: client)
        case .close(let frame): sendTyped(.close(frame), [], to: client)
        case .history(let query): editor.map { console.showHistory(query, of: $0.history) }
        case .edit(let source): editor.map { console.edit(source, with: $0) }
        case .pretty(let isPretty): console.setPretty(isPretty, of: transcript)
        case .time(let style): console.setTime(style, of: transcript)
        case .help(let topic):
            console.showHelp(topic, of: Self.commands)
            if topic == nil {
                console.show(
                    "A line goes to every client; '@3 text' to client 3 alone, and so do /ping, /pong and /close.\n")
            }
        case .quit: end()
        }
    }

    private func showClients() {
        guard !server.connections.isEmpty else { return console.show("There is no client.\n") }
        for (number, connection) in server.connections.sorted(by: { $0.key < $1.key }) {
            let (sent, received) = (connection.sentTraffic.wireBytes, connection.receivedTraffic.wireBytes)
            let facts = connection.handler.logLine?.words(
                "Client \(number)", status: nil, now: loop.turnTime, receivedBytes: received, sentBytes: sent)
            console.show((facts ?? "Client \(number)") + "\n")
        }
    }

    private func sendTyped(_ line: [UInt8], to client: Int?) {
        guard settings.kind == .binary || UTF8Validator.isValid(line.span.bytes) else {
            return console.error("the line is not UTF-8 text and was not sent")
        }
        sendTyped(.message(settings.kind), line, to: client)
    }

    /// Sends what was typed, and shows it once, however many it goes to.
    private func sendTyped(_ item: InputItem, _ payload: [UInt8], to client: Int?) {
        if let problem = problem(ofSending: item, to: client) { return console.error(problem) }
        if client == nil, case .message(let kind) = item { return sendToAll(payload.span.bytes, as: kind) }
        showSent(item, payload.span.bytes, client: client)
        for (number, connection) in server.connections
        where connection.takesMessages && (client == nil || number == client) {
            send(item, payload.span.bytes, to: connection)
        }
    }

    /// Why something cannot be sent to a client, or to all; nil: it can.
    private func problem(ofSending item: InputItem, to client: Int?) -> String? {
        let consequence = "the \(item.noun) was not sent"
        guard let client else {
            if isEnding { return "the server is ending: \(consequence)" }
            if server.connections.isEmpty { return "there is no client to send to" }
            return hasRecipients ? nil : "every client is being closed: \(consequence)"
        }
        guard let connection = server.connections[client] else { return "there is no client \(client)" }
        return connection.takesMessages ? nil : "client \(client) is being closed: \(consequence)"
    }
}

extension InputItem {
    /// What errors call it.
    fileprivate var noun: String {
        switch self {
        case .message: "message"
        case .ping: "ping"
        case .pong: "pong"
        case .close, .end: "close frame"
        }
    }
}
