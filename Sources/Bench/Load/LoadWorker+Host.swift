import Conversation
import LoadTest
import UserInterface
import WSCore

extension LoadWorker: LoadHost {
    func wake(at time: UInt64) {
        timers.pace?.start(at: time)
    }

    func wakeAtDeadline(_ time: UInt64) {
        if timers.deadline == nil {
            timers.deadline = Timer(on: loop) { [unowned self] in
                takeTime()
                context.deadlinePassed()
                context.drainIfSent()
            }
        }
        timers.deadline?.start(at: time)
    }

    func wakeSoon() {
        guard timers.soon == nil else { return }
        timers.soon = Timer(on: loop) { [unowned self] in
            timers.soon = nil
            continuePhase()
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
        // Once per turn, after all replies that have arrived.
        isCheckScheduled = true
        loop.atEndOfTurn(self)
    }

    func allIsSent() {
        post.withLock { $0.sentCount = context.measurement.tally.sent }
        reports.didSend?()
        reports.didSend = nil
    }

    // MARK: Connections

    func openConnection(countsTime: Bool, completion: @escaping (_ isOpen: Bool) -> Void) -> Bool {
        var hasBegun = true
        opener.openNext { [unowned self] number, result in
            takeTime()
            switch result {
            case .success(let opened):
                completion(true)
                add(opened, number, countsTime: countsTime)
            case .failure(.noRequest(let failure)):
                // Reported before `openNext` returns.
                hasBegun = false
                end(because: failure)
            case .failure(.connecting(let error, let url)):
                completion(false)
                note(error, at: url)
            }
            wakeSoon()
        }
        return hasBegun
    }

    func reopen(_ number: UInt64, after delay: Duration) {
        reopener.open(number, after: delay)
    }

    /// Starts a newly opened connection.
    func add(_ opened: Connector.Opened, _ number: UInt64, countsTime: Bool) {
        if countsTime {
            context.measurement.opened(
                opened.duration, phases: opened.phaseDurations, tls: opened.tls, version: opened.request.version,
                isShared: opened.isShared, now: context.now)
        }
        let connection = workload.makeConnection(number)
        context.connections[number] = connection
        context.openPipeline(of: connection, subprotocol: opened.upgrade.subprotocol)
        opener.join(connection, to: opened)
        workload.opened(connection)
        context.beginPipeline(of: connection)
        context.enterIfReady(connection)
        // During the load, no timer waits for first connections.
        if timers.readiness == nil, connection.pipeline != nil, context.phase == .loading { startReadinessTimer() }
    }

    func stepFailed(_ failure: ScenarioFailure, isOpening: Bool) {
        if isOpening { failures.add(.scenarioFailed(failure), as: .login) }
        // The main thread reports failures before the load.
        guard context.phase != .opening, failedSteps.insert(failure.place).inserted else { return }
        post.withLock { $0.stepFailures.append(failure) }
    }

    func protocolFailed(on connection: LoadConnection, because problem: ProtocolProblem) {
        recordSecrets(of: connection.number)
        let failure = application(problem)
        switch problem {
        case .refused(_, afterLogin: false, _), .ended(_, _, afterLogin: false), .notReady:
            note(failure, as: .login)
        case .refused, .ended, .unusable, .refusedLine: note(failure, as: .closed)
        case .notUnderstood, .undecodable: note(failure, as: .violation)
        case .error, .errors, .unsentLines, .unconfirmedLines:
            note(failure, as: .application)
        case .unsendable: end(because: failure)
        }
        if context.phase == .opening { wakeSoon() }
    }

    func close(_ connection: LoadConnection) {
        connection.close(settings.closeFrame)
    }

    func ended(_ connection: LoadConnection, _ end: ConnectionEnd) {
        guard let port = connection.port else { return }
        context.connections[connection.number] = nil
        connection.port = nil
        context.stopAwaiting(connection)
        context.measurement.tally.traffic += port.traffic
        note(end, of: connection)
        workload.ended(connection)
        switch context.phase {
        case .opening: wakeSoon()
        case .ready: break
        case .loading:
            context.forget(connection)
            if workload.isDeserted { drain() } else { context.drainIfSent() }
        case .draining: closeIfAnswered()
        case .closing, .over: endIfClosed()
        }
    }
}

extension LoadWorker: EndOfTurnWork {
    /// Closes the connections if no reply is outstanding.
    func endTurn() {
        isCheckScheduled = false
        context.endCountingBytes()
        if context.phase == .draining, workload.isAnswered { close() }
    }
}

/// Continues sending on connections that have used their share of a turn, after the others have had theirs.
final class LoadSending: EndOfTurnWork {
    private unowned let worker: LoadWorker
    /// The connections that continue in the next turn.
    private var waiting: [any LoadHandler] = []
    /// The connections of this turn. The array's storage is reused in the turn after next.
    private var connections: [any LoadHandler] = []

    /// Creates the queue of a worker.
    init(of worker: LoadWorker) {
        self.worker = worker
    }

    /// Queues a connection that has more to send.
    func add(_ connection: any LoadHandler) {
        guard !connection.isSendingOn else { return }
        connection.isSendingOn = true
        if waiting.isEmpty { worker.loop.atEndOfNextTurn(self) }
        waiting.append(connection)
    }

    /// Sends on the queued connections.
    func endTurn() {
        swap(&connections, &waiting)
        worker.takeTime()
        for connection in connections {
            connection.isSendingOn = false
            worker.context.resume(connection)
        }
        connections.removeAll(keepingCapacity: true)
        worker.context.drainIfSent()
    }
}
