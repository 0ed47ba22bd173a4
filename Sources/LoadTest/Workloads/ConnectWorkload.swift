import WSCore

extension BenchMode {
    /// Opens and closes connections.
    package static let connect = BenchMode(
        name: "connect",
        summary: "measure opening handshakes",
        manual: """
            Open connections and close each one as soon as it is open, with up to `--connections` in parallel, or \
            at `--rate`. The latency is the time to open a connection, from name lookup through the upgrade.
            """,
        options: [.messages, .rate, .ramp, .replyTimeout],
        wording: ModeWording(
            title: "Connect test", titleNamesMessages: false, countedThings: "connections",
            sentThings: "connections", sentVerb: "tried", receivedVerb: "opened"),
        metrics: ModeMetrics(),
        load: ModeLoad(needsConnections: false),
        problem: { plan in
            guard plan.conversation.exchange == nil else {
                return LoadPlanProblem(
                    option: "--mode connect",
                    reason:
                        "it closes connections at once; --first-message, --ready, and --answer need another mode")
            }
            guard plan.pace.ramp > .zero, plan.pace.rate == nil else { return nil }
            return LoadPlanProblem(
                option: "--ramp", reason: "--mode connect ramps the rate; add --rate")
        },
        makeWorkload: { ConnectWorkload($0) })
}

/// Opens connections and closes them at once, to measure how fast a server accepts them.
internal final class ConnectWorkload: Workload {
    let context: LoadContext
    /// The number of attempts in progress, and how many of them count.
    private var (openingCount, countedCount) = (0, 0)
    /// Whether the maximum number of connections was in use at the last look.
    private var wasFull = false
    /// The attempts whose connection is about to be created, and the connections that are open, in an open loop.
    private var opened: Attempt?
    private var attempts: [UInt64: Attempt] = [:]

    /// The due time and the start of an attempt, on the loop's clock in nanoseconds.
    private struct Attempt {
        let dueTime: UInt64
        let startTime: UInt64
    }

    init(_ context: LoadContext) {
        self.context = context
    }

    // MARK: Connections

    func makeConnection(_ number: UInt64) -> any LoadHandler {
        let connection = PassiveConnection(number, in: context)
        connection.beginClosing()
        guard let attempt = opened else { return connection }
        context.measurement.answered(
            on: number, sentAt: attempt.dueTime, after: attempt.startTime - attempt.dueTime, now: context.now)
        attempts[number] = attempt
        opened = nil
        return connection
    }

    func opened(_ connection: LoadConnection) {
        context.host?.close(connection)
    }

    /// Makes room for another attempt.
    func ended(_ connection: LoadConnection) {
        free(attempts.removeValue(forKey: connection.number))
        if context.phase == .loading { context.host?.wakeSoon() }
    }

    private func free(_ attempt: Attempt?) {
        guard let attempt, context.openLoop != nil else { return }
        context.measurement.freed(since: attempt.startTime, now: context.now, dueAt: attempt.dueTime)
    }

    var isDeserted: Bool { false }

    // MARK: Attempts

    /// Starts the attempts that are due, up to the maximum number of connections.
    func sendDue() {
        if wasFull { context.holdDue() }
        while context.phase == .loading, context.remainingMessages > 0, !isFull, let time = nextTime() {
            attempt(dueAt: time)
        }
        wasFull = isFull
    }

    private var isFull: Bool { openingCount + context.connections.count >= context.connectionCount }

    /// When the next attempt was due, or `nil` if none is due now.
    private func nextTime() -> UInt64? {
        if context.openLoop != nil {
            guard let due = context.takeDue() else { return nil }
            if due.wasHeld { context.measurement.count(\.waited, ofMessageAt: due.time) }
            return due.time
        }
        return context.now < context.measurement.sendEnd ? context.now : nil
    }

    private func attempt(dueAt time: UInt64) {
        let counts = context.measurement.counts(time)
        let attempt = Attempt(dueTime: time, startTime: context.now)
        openingCount += 1
        if counts { countedCount += 1 }
        let hasBegun = context.host?.openConnection(countsTime: counts) { [unowned self] isOpen in
            openingCount -= 1
            if counts { countedCount -= 1 }
            if isOpen {
                opened = attempt
            } else {
                free(attempt)
                context.measurement.failed(attemptedAt: time, now: context.now)
            }
        }
        if hasBegun == true { return context.countSent(dueAt: time) }
        openingCount -= 1
        if counts { countedCount -= 1 }
        // In a closed loop, the rest of the messages is counted at the end.
        if context.openLoop != nil { context.measurement.leftUnsent([time]) }
    }

    // MARK: Replies

    var isAnswered: Bool { openingCount == 0 && context.connections.isEmpty }

    func stopWaiting(isLate: Bool) {
        if isLate {
            context.measurement.tally.errors[.timeout] += countedCount
        } else {
            context.measurement.tally.lost += countedCount
        }
        (openingCount, countedCount) = (0, 0)
    }
}

/// A connection that neither sends nor receives messages.
internal final class PassiveConnection: LoadConnection, LoadHandler {}
