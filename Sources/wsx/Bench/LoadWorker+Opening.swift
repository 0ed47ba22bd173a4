import WSCore

extension LoadWorker {
    /// So many connections are opened at once: enough to keep a server busy that is far away, and fewer than wait in the
    /// queue of one that is near.
    private static let mostOpening = 256

    /// Opens the connections.
    func open() {
        while phase == .opening, begunCount < connectionCount, connectors.count < Self.mostOpening { openNext() }
        guard phase == .opening, begunCount == connectionCount, connectors.isEmpty else { return }
        phase = .ready
        didOpen?()
    }

    private func openNext() {
        let number = UInt64(begunCount)
        begunCount += 1
        let connector = Connector(settings.connector, resources: connectorResources, on: loop) {
            [unowned self] result in
            switch result {
            case .success(let opened): self.opened(opened, number)
            case .failure(let error): failed(error)
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

    private func failed(_ error: ConnectError) {
        let failure = Failure.connecting(url: "\(settings.url)", error)
        switch failure.status {
        case .timedOut: note(failure, counting: \.timeouts)
        case .refused, .violation: note(failure, counting: \.handshakeErrors)
        default: note(failure, counting: \.connectErrors)
        }
    }
}
