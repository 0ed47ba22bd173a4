import WSCore

// A program in place of standard input and output.
extension ConnectRun: ConnectProgram.Host {
    /// Starts the program. If it cannot be started, the connection is closed as soon as possible.
    func startProgram(for opened: borrowing Connector.Opened) {
        guard let program, !program.start(for: opened, isVerbose: outputs.isVerbose) else { return }
        input.end(with: CloseFrame(code: .internalError, reason: "the program could not be started"))
    }

    func closeProgramInput() {
        outputs.messages?.close()
        program?.pipes.closeInput()
    }

    /// Ends the connection after the program's last output.
    func programExited() {
        endAfterProgram()
        guard !state.isEnding else { return }
        let timer = Timer(on: loop) { [unowned self] in
            // Data that waits for the connection is read late.
            if isFull || !isPeerReady { return programExited() }
            // Another process may hold the pipe open.
            input.closeReader()
            input.end()
            endAfterProgram()
        }
        program?.lastReadingTimer = timer
        timer.start(after: ConnectProgram.lastReadingLimit)
    }

    /// Ends the connection if the program has exited and all its output has been read.
    func endAfterProgram() {
        guard let exit = program?.exit, input.isOver, !state.isEnding else { return }
        program?.lastReadingTimer = nil
        if input.close == nil { input.end(with: exit.closeFrame(or: settings.closeFrame)) }
        endAsAsked()
    }

    func programIsGone() {
        if state.isDraining { stopLoop() }
    }

    /// Reports the first output of the program that cannot be sent. Further ones are dropped. A line that is too long, or
    /// that `--encode` cannot encode, ends the run.
    func received(badOutput problem: InputProblem, of program: ConnectProgram) {
        if case .tooLongRecord(let limit) = problem {
            input.end(with: CloseFrame(code: .internalError, reason: "a line is too long"))
            return end(with: .program(InputProblem.words(forLineOf: program.name, longerThan: limit)))
        }
        if case .notEncodable = problem {
            input.end(with: CloseFrame(code: .internalError, reason: "a line cannot be encoded"))
            let line = "line \(input.recordNumber) of \(program.name)'s output"
            return end(with: .program("\(line) was not sent: \(problem)"))
        }
        guard !program.hasReportedBadOutput else { return }
        program.hasReportedBadOutput = true
        outputs.console.error(problem.words(forLine: input.recordNumber, of: program.name))
    }
}
