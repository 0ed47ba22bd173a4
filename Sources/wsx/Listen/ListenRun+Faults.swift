import WSCore

// What is done wrong on purpose.
extension ListenRun {
    /// How a request that could be accepted is refused; nil: it is not.
    func rejection(of request: RequestHead) -> HandshakeRefusal? {
        guard let status = rejections.next() else { return nil }
        return .rejection(
            of: request, with: status, because: "This server refuses requests (--reject).",
            policy: settings.policy)
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
        if isOneFull, let sender { slowReaders.hold(sender.handler.number) }
    }

    /// Whether it is a client's own messages that fill its gate.
    var gatesHoldTheirClients: Bool {
        switch settings.arguments.mode {
        case .echo, .replay: true
        // A program looks itself.
        case .conversation, .broadcast, .exec: false
        }
    }

    /// Pauses what fills a gate.
    func gateIsFull(of connection: Connection<ListenClient>?) {
        if gatesHoldTheirClients {
            connection?.pauseReading(for: .gate)
        } else if !settings.arguments.mode.answersByItself {
            fullGateCount += 1
        }
    }

    /// Goes on after ``gateIsFull(of:)``; there is no connection any more where that is why.
    func gateHasRoom(of connection: Connection<ListenClient>?) {
        if gatesHoldTheirClients {
            connection?.resumeReading(after: .gate)
            connection?.handler.replay?.goOn()
        } else if settings.arguments.mode.answersByItself {
            connection?.handler.program?.clientDidDrain()
        } else {
            fullGateCount -= 1
            guard fullGateCount == 0 else { return }
            outputDidDrain()
            readOn()
        }
    }
}
