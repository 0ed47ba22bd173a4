import WSCore

extension BenchMode {
    /// Opens and closes connections.
    public static let connect = BenchMode(
        ModeDescriptor(
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
            makeWorkload: { ConnectWorkload($0) }))
}

/// Opens connections and closes them at once, to measure how fast a server accepts them.
internal final class ConnectWorkload: Workload {
    let context: LoadContext
    /// The number of attempts in progress, and how many of them count.
    private var (openingCount, countedCount) = (0, 0)

    init(_ context: LoadContext) {
        self.context = context
    }

    // MARK: Connections

    func makeConnection(_ number: UInt64) -> any LoadHandler {
        let connection = PassiveConnection(number, in: context)
        connection.isClosing = true
        return connection
    }

    func opened(_ connection: LoadConnection) {
        context.host?.close(connection)
    }

    /// Makes room for another attempt.
    func ended(_ connection: LoadConnection) {
        if context.phase == .loading { context.host?.wakeSoon() }
    }

    var isDeserted: Bool { false }

    // MARK: Attempts

    /// Starts the attempts that are due, up to the maximum number of connections.
    func goOn() {
        while context.phase == .loading, context.remainingMessages > 0,
            openingCount + context.connections.count < context.connectionCount,
            let time = nextTime()
        {
            attempt(dueAt: time)
        }
    }

    /// When the next attempt was due, or `nil` if none is due now.
    private func nextTime() -> UInt64? {
        guard context.openLoop == nil else { return context.takeDue()?.time }
        return context.now < context.measurement.sendEnd ? context.now : nil
    }

    private func attempt(dueAt time: UInt64) {
        context.countSent(dueAt: time)
        let counts = context.measurement.counts(time)
        openingCount += 1
        if counts { countedCount += 1 }
        context.host?.openConnection(countsTime: counts) { [unowned self] isOpen in
            openingCount -= 1
            if counts { countedCount -= 1 }
            if isOpen {
                context.measurement.answered(sentAt: time, now: context.now)
            } else {
                context.measurement.failed(attemptedAt: time, now: context.now)
            }
        }
    }

    // MARK: Replies

    var isAnswered: Bool { openingCount == 0 && context.connections.isEmpty }

    func stopWaiting(isLate: Bool) {
        if isLate {
            context.measurement.tally.timeouts += countedCount
        } else {
            context.measurement.tally.lost += countedCount
        }
        (openingCount, countedCount) = (0, 0)
    }
}

/// A connection that neither sends nor receives messages.
internal final class PassiveConnection: LoadConnection, LoadHandler {}
