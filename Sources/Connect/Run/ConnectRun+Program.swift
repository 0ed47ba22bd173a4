import Peer
import UserInterface
import WSCore

// A program in place of standard input and output.
extension ConnectRun {
    /// Starts the program. If it cannot be started, the connection is closed as soon as possible.
    func startProgram(for opened: borrowing Connector.Opened) {
        guard let program, !program.start(for: opened, isVerbose: outputs.isVerbose) else { return }
        input.end(with: CloseFrame(code: .internalError, reason: "the program could not be started"))
    }

    /// Closes the program's standard input.
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

    /// Handles output of the program that cannot be sent. A line that is not a message is dropped, and the first one is
    /// reported. A line that is too long ends the run, and so does a message that the options cannot convert.
    /// - Parameter name: The name of the line, if it is not the current one.
    func received(badOutput problem: InputProblem, named name: String, of program: ConnectProgram) {
        switch problem {
        case .tooLongRecord(let limit):
            input.end(with: CloseFrame(code: .internalError, reason: "a line is too long"))
            end(with: .program(InputProblem.words(forLineOf: program.name, longerThan: limit)))
        case .notEncodable, .notACall, .notARequest, .notALine, .notATemplate:
            input.end(with: CloseFrame(code: .internalError, reason: "a line cannot be sent"))
            let line = name == input.recordName ? "line \(input.recordNumber)" : name
            end(with: .program("\(line) of \(program.name)'s output was not sent: \(problem)"))
        default:
            guard !program.hasReportedBadOutput else { return }
            program.hasReportedBadOutput = true
            outputs.diagnostics.error(problem.words(forLine: input.recordNumber, of: program.name))
        }
    }
}
