import Peer
import UserInterface
import WSCore

// How a program ends: by itself, after its client, or with the server.
//
//      running ──client leaves──► input closed ──grace──► terminating ──grace──► gone
//         └────────── the program exits, others in its group do not ────────┘       ▲
//         └────────── the program exits, and its group is empty ────────────────────┘
extension ProgramSession {
    /// The interval of checks whether the rest of a process group has ended.
    private static let groupInterval = Duration.milliseconds(20)

    /// Ends the program because its client is leaving or receives no more messages. A program that takes events ends
    /// after that of the end.
    func clientIsLeaving() {
        isDiscarding = true
        hold = nil
        // Drain the output: nothing waits for the client any more.
        output?.resume()
        if events == nil { endInput() }
    }

    /// Ends the program after its client has left.
    func ended(_ end: ConnectionEnd, reportedAs failure: Failure?) {
        if let input, let events {
            events.write("close", to: input) { $0.add(end, without: diagnostics.secrets) }
            if let failure, let message = failure.message {
                events.write("error", to: input) {
                    $0.add(failure, message, without: diagnostics.secrets)
                }
            }
        }
        clientIsLeaving()
        endInput()
    }

    /// Ends the program with the server, or after its client, which may still be leaving.
    func serverEnds() {
        if events == nil || client == nil { endInput() }
    }

    /// Ends the program, first by closing its input.
    func endInput() {
        output?.resume()
        guard stage == .running else { return }
        stage = .inputClosed
        input?.finish()
        endTimer.start(after: pool.arguments.programs.programGrace)
    }

    /// Kills the program and all processes in its group.
    func kill() {
        guard stage != .gone else { return }
        stage = .gone
        process?.process.signalGroup(.kill)
    }

    /// Handles the program's exit. Processes it started may still be running.
    func exited(_ exit: ChildProcess.Exit) {
        unreportedExit = (exit, isByItself: stage == .running || stage == .inputClosed)
        input?.close()
        guard stage != .gone, let process = process?.process else { return beginLastReading() }
        guard process.hasGroup else { return groupIsGone() }
        if case .terminating = stage {} else { terminate() }
        endTimer.start(after: Self.groupInterval, every: Self.groupInterval)
    }

    /// Performs the next step of the end.
    func endTimerFired() {
        guard let process = process?.process else { return }
        switch stage {
        case .running: break
        case .inputClosed:
            terminate()
            // Repeat, because a timer may fire a fraction of a millisecond early.
            endTimer.start(after: pool.arguments.programs.programGrace, every: Self.groupInterval)
        case .terminating(let killTime):
            if process.exit != nil, !process.hasGroup { return groupIsGone() }
            guard pool.loop.now >= killTime else { return }
            diagnostics.notice("Client \(number): \(pool.command.name) \(ChildProcess.Exit.killedWords)")
            kill()
            if process.exit != nil { groupIsGone() }
        case .gone:
            // Allow another interval if data arrived: other connections may have used the turns needed to read the
            // rest.
            let isOutputOver = output?.closeIfIdle() ?? true
            let areErrorsOver = errors?.closeIfIdle() ?? true
            if !isOutputOver || !areErrorsOver { endTimer.start(after: Self.lastReadingLimit) }
        }
    }

    private func terminate() {
        process?.process.signalGroup(.terminate)
        stage = .terminating(killTime: pool.loop.now + pool.arguments.programs.programGrace)
    }

    private func groupIsGone() {
        stage = .gone
        beginLastReading()
    }

    /// Reads the rest from the pipes, for the client, without waiting for other processes that hold the pipes open.
    private func beginLastReading() {
        output?.takeRest(atMost: ProgramOutput.pipeBytes)
        errors?.takeRest(atMost: ProgramOutput.pipeBytes)
        endTimer.start(after: Self.lastReadingLimit)
        reportEndIfOver()
    }

    /// Closes the connection when the program has exited and all its output has been read.
    func reportEndIfOver() {
        guard process?.process.exit != nil, output?.isOver ?? true, errors?.isOver ?? true else { return }
        if let (exit, isByItself) = unreportedExit {
            unreportedExit = nil
            let words = "\(pool.command.name) \(exit.words)"
            let isResult = isByItself && exit != .status(0) && pool.run.adopt(.program(words), of: number)
            // If the server asked it to end, its exit status matters little.
            if !isResult, !isDiscarding || pool.arguments.transcript.verbosity > 0 {
                diagnostics.notice("Client \(number): \(words)")
            }
            if !isDiscarding { close(with: exit.closeFrame()) }
        }
        guard stage == .gone else { return }
        endTimer.stop()
        pool.remove(self)
    }
}
