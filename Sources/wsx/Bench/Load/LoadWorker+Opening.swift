import WSCore

extension LoadWorker {
    /// So many connections are opened at once: enough to keep a server busy that is far away, and fewer than wait in the
    /// queue of one that is near.
    private static let mostOpeningOfAll = 256
    private var mostOpening: Int { max(1, Self.mostOpeningOfAll / share.count) }
    /// So many messages of a connection or more are remembered where it is by what they are that replies are told apart.
    private static let leastRemembered = 64

    /// Opens the connections, unless opening them is what is measured.
    func open() {
        while phase == .opening, mode != .connect, begunCount < connectionCount, connectors.count < mostOpening,
            isOpeningDue()
        {
            openNext()
        }
        guard phase == .opening, begunCount == connectionCount || mode == .connect, connectors.isEmpty else { return }
        phase = .ready
        paceTimer = nil
        post.withValue { $0 = LoadPost(openCount: connections.count, failure: failure) }
        didOpen?()
    }

    /// Whether it is time for the next connection; the timer calls when it will be.
    private func isOpeningDue() -> Bool {
        guard var openings else { return true }
        takeTime()
        if startTime == 0 { startTime = now }
        let time = startTime + openings.offset
        guard time <= now else {
            let timer = paceTimer ?? PreciseTimer(on: loop) { [unowned self] in open() }
            paceTimer = timer
            timer.start(at: time)
            return false
        }
        openings.advance()
        self.openings = openings
        return true
    }

    private func openNext() {
        begunCount += 1
        open(share.connectionNumber(at: begunCount - 1), dueAt: .max) { _ in }
    }

    /// Opens a connection.
    /// - Parameters:
    ///   - time: When it was due; nothing that was due in the warm-up counts.
    ///   - didFinish: Called with whether that succeeded, before anything else is done with the connection.
    func open(_ number: UInt64, dueAt time: UInt64, didFinish: @escaping (Bool) -> Void) {
        let way = ways[Int(truncatingIfNeeded: number % UInt64(ways.count))]
        let connector = Connector(way, resources: connectorResources, on: loop) {
            [unowned self] result in
            connectors[number] = nil
            switch result {
            case .success(let opened):
                didFinish(true)
                if measurement.counts(time) { measurement.opened(opened.duration, phases: opened.phaseDurations) }
                self.opened(opened, number)
            case .failure(let error):
                didFinish(false)
                note(error)
            }
            // Not from within: what fails at once would be as deep as there are connections.
            scheduleOpening()
        }
        connectors[number] = connector
        connector.start()
    }

    /// Gives up those that are being opened.
    /// - Parameter count: What each of them counts as, where opening them is what is measured.
    func cancelOpening(counting count: WritableKeyPath<LoadTally, Int>) {
        for connector in connectors.values { connector.cancel() }
        if mode == .connect { measurement.tally[keyPath: count] += connectors.count }
        connectors = [:]
    }

    /// Goes on with opening connections in a moment.
    func scheduleOpening() {
        guard openTimer == nil else { return }
        openTimer = Timer(on: loop) { [unowned self] in
            openTimer = nil
            if phase == .opening { open() } else if mode == .connect { continueLoad() }
        }
        openTimer?.start(after: .zero)
    }

    private func opened(_ opened: Connector.Opened, _ number: UInt64) {
        let handler = LoadConnection(
            number, remembered: message.isVaried ? max(inFlight, Self.leastRemembered) : inFlight,
            publisherCount: mode == .broadcast ? settings.arguments.publisherCount : 0,
            of: self)
        let connection = Connection(
            opened.stream, settings: connectionSettings, deflate: opened.deflate, resources: connectionResources,
            handler: handler)
        handler.connection = connection
        connections[number] = handler
        connection.start(with: opened.firstBytes)
        if mode == .connect { connection.close(settings.closeFrame) }
    }
}
