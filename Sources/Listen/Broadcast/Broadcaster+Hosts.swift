import Peer
import UserInterface
import WSCore

// The protocols through which other parts of the server reach the clients.

extension Broadcaster: BroadcastHost {
    func fullReaders(but sender: Int?) -> [Int] {
        clients.fullReaders(but: sender).filter { reaches($0, from: sender) }
    }

    func reaches(_ reader: Int, from sender: Int?) -> Bool {
        guard staysOnPath, let sender, sender != reader else { return sender != reader }
        return clients[sender]?.path == clients[reader]?.path
    }

    var readingStates: [Int: ReadingState] { clients.readingStates }

    func isHeldUp(_ sender: Int?) -> Bool {
        guard let sender else { return isInputHeldUp || clients.hasWaitingPosts }
        guard let client = clients[sender], !outputs.hasBacklog, !isDelaying else { return false }
        // A turn of the loop is too short to matter. The gates of slow readers also pause clients for the outputs.
        let reasons: PauseReasons = [.slowReader, .turn, .output, .outputTurn]
        return client.pauseReasons.isSubset(of: reasons) && client.hasUnreadBytes
    }

    func close(slowReader reader: Int, because fault: String) {
        guard let client = clients[reader] else { return }
        outputs.diagnostics.notice("Client \(reader) \(fault) and holds up the others: closed with 1013")
        close(client, with: CloseFrame(code: .tryAgainLater, reason: "reading too slowly"))
    }
}

extension Broadcaster: SenderControl {
    func pauseSender(_ sender: Int?, for reason: PauseReasons) {
        if let sender { clients[sender]?.pauseReading(for: reason) } else { reader?.pause() }
    }

    func resumeSender(_ sender: Int?, after reason: PauseReasons) {
        if let sender { clients[sender]?.resumeReading(after: reason) } else { resumeInput() }
    }

    func pauseClients(for reason: PauseReasons) { clients.pause(for: reason) }

    func resumeClients(after reason: PauseReasons) { clients.resume(after: reason) }
}

extension Broadcaster: FaultHost {
    func gatedConnection(of client: Int) -> (any GatedConnection)? { clients[client] }

    func sendDue(_ item: InputItem, _ payload: RawSpan, _ mark: MessageMark?, for client: Int) {
        if let client = clients[client] { pass(item, payload, mark, to: client) }
    }

    func waitForSlowReaders() {
        slowReaders.hold()
    }

    func gatesDidDrain() {
        outputs.drained()
        resumeInput()
        clients.retryPosts()
    }
}

extension Broadcaster: ReplayHost {
    func hasRoom(for client: Int) -> Bool {
        clients[client].map { !$0.isFull && !$0.hasFullGate } ?? false
    }

    func send(_ item: InputItem, _ payload: RawSpan, after pause: Duration, to number: Int) {
        guard let client = clients[number], client.letsThrough(item, payload, nil, after: pause) else { return }
        pass(item, payload, to: client)
    }

    func closeAfterReplay(_ number: Int) {
        if let client = clients[number] { send(.close(faults.closeFrame), RawSpan(), to: client) }
    }

    func pauseForReplay(_ client: Int) {
        clients[client]?.pauseReading(for: .replay)
    }

    func resumeAfterReplay(_ client: Int) {
        clients[client]?.resumeReading(after: .replay)
    }
}

extension Broadcaster {
    /// Sends an automatic message to a client, and records and shows it.
    func answer(_ number: Int, with payload: RawSpan, as kind: MessageKind) {
        guard let client = clients[number] else { return }
        if outputs.isRelay {
            // A relay records what it sends before its gates, in order with the messages of the server.
            outputs.answered(payload, as: kind, to: number)
            return send(.message(kind), payload, .forwarded, to: client)
        }
        guard client.letsThrough(.message(kind), payload), client.send(payload, as: kind) else { return }
        outputs.answered(payload, as: kind, to: number)
    }
}

extension Broadcaster: EndOfTurnWork {
    /// Resumes the input after a client has connected.
    func endTurn() {
        resumeInput()
    }
}
