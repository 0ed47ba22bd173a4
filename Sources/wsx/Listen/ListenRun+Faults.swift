import WSCore

// What is done wrong on purpose.
extension ListenRun {
    /// Asked about a request that could be accepted: refuses it where `--reject` says so.
    func judge(_ request: RequestHead) -> HandshakeRefusal? {
        guard let rejection = settings.arguments.faults.rejection else { return nil }
        if let count = rejection.count {
            guard rejectedCount < count else { return nil }
            rejectedCount += 1
        }
        return HandshakeRefusal(
            status: rejection.status, reason: "This server refuses requests (--reject).",
            fields: settings.policy.extraFields, request: request)
    }

    /// The gate of a client; nil: what is sent to it goes straight to its connection.
    func makeGate(ofClient number: Int) -> OutgoingGate? {
        settings.needsGates ? OutgoingGate(client: number, of: self) : nil
    }

    /// Tells of a message that is left out.
    func dropped(_ byteCount: Int, to client: Int) {
        guard settings.arguments.verbosity > 0 else { return }
        console.notice("Client \(client): dropped a message of \(byteCount) B")
    }

    /// Tells of a message that is held back.
    func delayed(_ byteCount: Int, to client: Int, by delay: Duration) {
        guard settings.arguments.verbosity > 0 else { return }
        let wait = delay / .milliseconds(1)
        console.notice("Client \(client): a message of \(byteCount) B waits \(Int(wait.rounded())) ms")
    }

    /// Sends a message to every client but `sender`, each through its gate.
    func sendThroughGates(_ payload: RawSpan, as kind: MessageKind, from sender: Connection<ListenClient>? = nil) {
        var isOneFull = false
        for connection in server.connections.values where connection !== sender {
            if connection.handler.letsThrough(.message(kind), payload) {
                pass(.message(kind), payload, to: connection)
                if connection.isFull { isOneFull = true }
            }
        }
        if isOneFull, let sender { holdForSlowReaders(sender) }
    }

    /// Sends what a gate lets through.
    func pass(_ item: InputItem, _ payload: RawSpan, to connection: Connection<ListenClient>) {
        switch item {
        case .message(let kind):
            guard connection.send(payload, as: kind) else { return }
            let number = connection.handler.number
            if settings.arguments.mode.answersByItself {
                echoed(payload, as: kind, to: number)
            } else {
                recorder?.events.writeMessage(payload, as: kind, .outgoing, client: number)
            }
        case .ping: sendUnshown(control: .ping, payload, to: connection)
        case .pong: sendUnshown(control: .pong, payload, to: connection)
        case .close(let frame?), .end(let frame): close(connection, with: frame)
        case .close(nil): break
        }
    }

    /// Pauses what fills a gate: the client itself where its own messages do, and otherwise all that others send.
    func gateIsFull(of connection: Connection<ListenClient>?) {
        if settings.arguments.mode.answersByItself {
            connection?.pauseReading()
        } else {
            fullGateCount += 1
        }
    }

    /// Goes on after ``gateIsFull(of:)``; there is no connection any more where that is why.
    func gateHasRoom(of connection: Connection<ListenClient>?) {
        guard !settings.arguments.mode.answersByItself else {
            if !isWaitedFor { connection?.resumeReading() }
            return
        }
        fullGateCount -= 1
        guard fullGateCount == 0 else { return }
        outputDidDrain()
        readOn()
    }
}
