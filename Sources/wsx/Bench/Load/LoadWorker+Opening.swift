import WSCore

// Connections are opened before the load; or they are the load, opened to be closed: how fast a server accepts them.
extension LoadWorker {
    /// So many messages of a connection or more are remembered where it is by what they are that replies are told apart.
    private static let leastRemembered = 64

    // MARK: Before the load

    /// Opens the connections, unless opening them is what is measured.
    func open() {
        takeTime()
        openings = settings.openings(for: share).map { RunningSchedule($0, at: now) }
        openDue()
    }

    /// Goes on opening connections.
    func openDue() {
        takeTime()
        while mode != .connect, opener.begunCount < connectionCount, !opener.isFull, isOpeningDue() {
            opener.openNext { [unowned self] number, result in
                switch result {
                case .success(let opened): self.opened(opened, number, countsTime: true)
                case .failure(let error): note(error)
                }
                goOnSoon()
            }
        }
        guard opener.begunCount == connectionCount || mode == .connect, opener.openingCount == 0 else { return }
        phase = .ready
        post.withValue { $0 = LoadPost(openCount: connections.count, failure: failure) }
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

    private func opened(_ opened: Connector.Opened, _ number: UInt64, countsTime: Bool) {
        if countsTime { measurement.opened(opened.duration, phases: opened.phaseDurations) }
        let handler = LoadConnection(
            number, remembered: message.isFoundByComparing ? max(inFlight, Self.leastRemembered) : inFlight,
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

    /// Gives up those that are being opened.
    /// - Parameter count: What each attempt counts as, where these are what is measured.
    func cancelOpening(counting count: WritableKeyPath<LoadTally, Int>) {
        measurement.tally[keyPath: count] += attemptCount
        attemptCount = 0
        opener.cancel()
    }

    // MARK: As the load

    /// Begins as many attempts as may be under way at once and are due.
    func attemptDue() {
        while phase == .loading, remainingMessages > 0, opener.openingCount + connections.count < connectionCount {
            guard let next = openLoop?.next(by: now, before: measurement.sendEnd) else {
                guard now < measurement.sendEnd else { return }
                attempt(dueAt: now)
                continue
            }
            switch next {
            case .over: return
            case .later(let time): return paceTimer?.start(at: time) ?? ()
            case .due(let time, _, _):
                if measurement.counts(time) { measurement.reached(dueAt: time, now: now) }
                attempt(dueAt: time)
            }
        }
    }

    private func attempt(dueAt time: UInt64) {
        if measurement.sent(dueAt: time, now: now) {
            remainingMessages -= 1
            attemptCount += 1
        }
        opener.openNext { [unowned self] number, result in
            takeTime()
            if measurement.counts(time) { attemptCount -= 1 }
            switch result {
            case .success(let opened):
                measurement.answered(sentAt: time, now: now)
                self.opened(opened, number, countsTime: measurement.counts(time))
            case .failure(let error):
                measurement.failed(attemptedAt: time, now: now)
                note(error)
            }
            goOnSoon()
        }
    }
}
