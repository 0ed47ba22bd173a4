import LoadTest
import WSCore

extension LoadWorker: LoadHost {
    func wake(at time: UInt64) {
        timers.pace?.start(at: time)
    }

    func wakeSoon() {
        guard timers.soon == nil else { return }
        timers.soon = Timer(on: loop) { [unowned self] in
            timers.soon = nil
            goOn()
        }
        timers.soon?.start(after: .zero)
    }

    func fillInNextTurn(_ connection: any LoadHandler) {
        sending.add(connection)
    }

    func drain() {
        drain(limit: nil)
    }

    func closeIfAnswered() {
        guard context.phase == .draining, !isCheckScheduled else { return }
        // At the end of the turn: connections are not to be closed while one of them is receiving.
        isCheckScheduled = true
        loop.atEndOfTurn(self)
    }

    func allIsSent() {
        post.withLock { $0.sentCount = context.measurement.tally.sent }
        reports.didSend?()
    }

    // MARK: Connections

    func openConnection(countsTime: Bool, completion: @escaping (_ isOpen: Bool) -> Void) {
        opener.openNext { [unowned self] number, result in
            takeTime()
            switch result {
            case .success(let opened):
                completion(true)
                add(opened, number, countsTime: countsTime)
            case .failure(let error):
                completion(false)
                note(error)
            }
            wakeSoon()
        }
    }

    /// Sets a connection going that has just been opened.
    private func add(_ opened: Connector.Opened, _ number: UInt64, countsTime: Bool) {
        if countsTime { context.measurement.opened(opened.duration, phases: opened.phaseDurations) }
        let connection = workload.makeConnection(number)
        context.connections[number] = connection
        opener.join(connection, to: opened)
        workload.opened(connection)
    }

    func close(_ connection: LoadConnection) {
        connection.isClosing = true
        _ = connection.port?.close(settings.closeFrame)
    }

    func ended(_ connection: LoadConnection, _ end: ConnectionEnd) {
        guard let port = connection.port else { return }
        context.connections[connection.number] = nil
        connection.port = nil
        context.measurement.tally.addBytes(sent: port.sentTraffic, received: port.receivedTraffic)
        if connection.isClosing { note(end) } else { note(prematureEnd: end) }
        workload.ended(connection)
        switch context.phase {
        case .opening, .ready: break
        case .loading:
            context.forget(connection)
            if workload.isDeserted { drain() } else { context.drainIfSent() }
        case .draining: closeIfAnswered()
        case .closing, .over: endIfClosed()
        }
    }
}

extension LoadWorker: EndOfTurnWork {
    /// Looks whether a reply is missing.
    func endTurn() {
        isCheckScheduled = false
        if context.phase == .draining, workload.isAnswered { close() }
    }
}

/// Goes on sending on connections that have had their part of a turn, after the others have had theirs.
final class LoadSending: EndOfTurnWork {
    private unowned let worker: LoadWorker
    /// Connections that are to send on in the next turn.
    private var waiting: [any LoadHandler] = []
    /// Those of this turn; the array's memory is kept for the turn after the next.
    private var connections: [any LoadHandler] = []

    /// Makes the work of a worker.
    init(of worker: LoadWorker) {
        self.worker = worker
    }

    /// Has a connection that takes all it is given send on.
    func add(_ connection: any LoadHandler) {
        guard !connection.isSendingOn else { return }
        connection.isSendingOn = true
        if waiting.isEmpty { worker.loop.atEndOfNextTurn(self) }
        waiting.append(connection)
    }

    /// Sends on.
    func endTurn() {
        swap(&connections, &waiting)
        worker.takeTime()
        for connection in connections {
            connection.isSendingOn = false
            worker.context.fill(connection)
        }
        connections.removeAll(keepingCapacity: true)
        worker.context.drainIfSent()
    }
}
