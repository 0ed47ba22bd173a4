import WSCore

extension LoadWorker {
    /// So many connections are opened at once: enough to keep a server busy that is far away, and fewer than wait in the
    /// queue of one that is near.
    private static let mostOpening = 256

    /// Opens the connections.
    func open() {
        while phase == .opening, begunCount < connectionCount, connectors.count < Self.mostOpening, isOpeningDue() {
            openNext()
        }
        guard phase == .opening, begunCount == connectionCount, connectors.isEmpty else { return }
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
        let number = share.connectionNumber(at: begunCount)
        begunCount += 1
        let connector = Connector(settings.connector, resources: connectorResources, on: loop) {
            [unowned self] result in
            switch result {
            case .success(let opened): self.opened(opened, number)
            case .failure(let error): note(error)
            }
            connectors[number] = nil
            // Not from within: what fails at once would be as deep as there are connections.
            scheduleOpening()
        }
        connectors[number] = connector
        connector.start()
    }

    private func scheduleOpening() {
        guard openTimer == nil else { return }
        openTimer = Timer(on: loop) { [unowned self] in
            openTimer = nil
            open()
        }
        openTimer?.start(after: .zero)
    }

    private func opened(_ opened: Connector.Opened, _ number: UInt64) {
        handshakes.record(UInt64(max(0, opened.duration / .nanoseconds(1))))
        let handler = LoadConnection(number, inFlight: inFlight, of: self)
        let connection = Connection(
            opened.stream, settings: connectionSettings, deflate: opened.deflate, resources: connectionResources,
            handler: handler)
        handler.connection = connection
        connections[number] = handler
        connection.start(with: opened.firstBytes)
    }
}
