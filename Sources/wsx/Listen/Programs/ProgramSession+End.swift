import WSCore

// The end of a program: by itself, with its client, or with the server.
//
//      running ──client leaves──► leaving ──grace──► terminating ──grace──► gone
//         └────────── the program exits, others of its group do not ──┘        ▲
//         └────────── the program exits, and nobody is left ───────────────────┘
extension ProgramSession {
    /// How often it is looked whether the rest of a group has ended.
    private static let groupInterval = Duration.milliseconds(20)

    /// The client has left, or takes nothing more.
    func clientLeft() {
        isDiscarding = true
        hold = nil
        leave()
    }

    /// Ends the program: first it is just told that there is no more input.
    func leave() {
        // Nobody is to wait for a client that is no longer there.
        output?.resume()
        guard stage == .running else { return }
        stage = .leaving
        input?.finish()
        endTimer.start(after: pool.arguments.programs.programGrace)
    }

    /// Ends the program and all that it started, at once.
    func kill() {
        guard stage != .gone else { return }
        stage = .gone
        process?.process.signalGroup(.kill)
    }

    /// The program has ended, but perhaps not what it started.
    func exited() {
        endedByItself = stage == .running || stage == .leaving
        input?.close()
        guard stage != .gone, let process = process?.process else { return beginLastReading() }
        guard process.hasGroup else { return groupIsGone() }
        if case .terminating = stage {} else { terminate() }
        endTimer.start(after: Self.groupInterval, every: Self.groupInterval)
    }

    /// Does what is due.
    func endTimerFired() {
        guard let process = process?.process else { return }
        switch stage {
        case .running: break
        case .leaving:
            terminate()
            // Again and again: a timer may be early by part of a millisecond.
            endTimer.start(after: pool.arguments.programs.programGrace, every: Self.groupInterval)
        case .terminating(let killTime):
            if process.exit != nil, !process.hasGroup { return groupIsGone() }
            guard host.loop.now >= killTime else { return }
            host.console.notice(
                "Client \(number): \(pool.command.name) did not end when it was asked to, and is killed")
            kill()
            if process.exit != nil { groupIsGone() }
        case .gone:
            // Others may have had the turns that it would have taken to read what is left.
            let isOutputOver = output?.closeIfIdle() ?? true
            let areErrorsOver = errors?.closeIfIdle() ?? true
            if !isOutputOver || !areErrorsOver { endTimer.start(after: Self.lastReadingLimit) }
        }
    }

    private func terminate() {
        process?.process.signalGroup(.terminate)
        stage = .terminating(killTime: host.loop.now + pool.arguments.programs.programGrace)
    }

    private func groupIsGone() {
        stage = .gone
        beginLastReading()
    }

    /// What is in the pipes still belongs to the client. Whoever else has them is not waited for.
    private func beginLastReading() {
        output?.takeRest(atMost: Self.pipeBytes)
        errors?.takeRest(atMost: Self.pipeBytes)
        endTimer.start(after: Self.lastReadingLimit)
        reportEndIfOver()
    }

    /// Closes the connection once the program has ended and everything that it wrote has been read.
    func reportEndIfOver() {
        guard let exit = process?.process.exit, output?.isOver ?? true, errors?.isOver ?? true else { return }
        if !hasReportedEnd {
            hasReportedEnd = true
            let words = "\(pool.command.name) \(exit.words)"
            let isFailure = endedByItself && exit != .status(0)
            if isFailure, host.takesProgramFailures {
                host.programFailed(words, of: number)
            } else if !isDiscarding || pool.arguments.transcript.verbosity > 0 {
                // When it was asked to end, it matters little how it did.
                host.console.notice("Client \(number): \(words)")
            }
            if !isDiscarding { close(with: exit.closeFrame) }
        }
        guard stage == .gone else { return }
        endTimer.stop()
        pool.remove(self)
    }
}

extension ChildProcess.Exit {
    /// How it ended, to follow a name.
    fileprivate var words: String {
        switch self {
        case .status(let status): "exited with status \(status)"
        case .signal(let number): "was ended by signal \(number)"
        }
    }

    /// What its client is told.
    fileprivate var closeFrame: CloseFrame {
        self == .status(0) ? CloseFrame(code: .normalClosure) : CloseFrame(code: .internalError, reason: words)
    }
}
