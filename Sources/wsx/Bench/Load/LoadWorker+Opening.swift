import WSCore

// Connections are opened before the load, unless they are the load.
extension LoadWorker {
    /// Opens the connections, unless opening them is what is measured.
    func open() {
        takeTime()
        openings = settings.openings(for: shard).map { Pacer($0, at: now) }
        openDue()
    }

    /// Goes on opening connections.
    func openDue() {
        takeTime()
        let count = settings.arguments.mode.needsConnections ? connectionCount : 0
        while opener.begunCount < count, !opener.isFull, isOpeningDue() {
            opener.openNext { [unowned self] number, result in
                switch result {
                case .success(let opened): self.opened(opened, number, countsTime: true)
                case .failure(let error): note(error)
                }
                goOnSoon()
            }
        }
        guard opener.begunCount == count, opener.openingCount == 0 else { return }
        phase = .ready
        post.withLock { $0 = LoadPost(openCount: connections.count, failure: failure) }
        didOpen?()
    }

    /// Whether it is time for the next connection; the timer calls when it will be.
    private func isOpeningDue() -> Bool {
        switch openings?.next(by: now) {
        case .due: openings?.advance()
        case .later(let time):
            paceTimer?.start(at: time)
            return false
        case .over, nil: break
        }
        return true
    }

    /// Sets a connection going that has just been opened.
    /// - Parameter countsTime: Whether how long that took is part of the results.
    func opened(_ opened: Connector.Opened, _ number: UInt64, countsTime: Bool) {
        if countsTime { measurement.opened(opened.duration, phases: opened.phaseDurations) }
        let handler = workload.makeConnection(number, for: self)
        let connection = Connection(
            opened.stream, settings: connectionSettings, deflate: opened.deflate, resources: connectionResources,
            handler: handler)
        handler.connection = connection
        connections[number] = handler
        connection.start(with: opened.firstBytes)
        workload.opened(handler, for: self)
    }
}
