import Conversation
import Formats
import UserInterface
import WSCore

/// The programs of `--decode exec:` of a run, which run as long as it does.
///
///     pipeline ── Effect.decode ──► program ── line ──► Pipeline.answered, then `passOn`
package final class DecodingPrograms {
    private let commands: [ProgramCommand]
    private let limitBytes: Int
    private let diagnostics: Diagnostics
    private let loop: EventLoop
    /// The pipeline that gets the answers.
    package var pipeline: () -> Pipeline? = { nil }
    /// Passes on what has been decoded, while the outputs take it. Returns whether they take more.
    package var passOn: () -> Bool = { true }
    /// Called when a program cannot be started or has ended.
    package var didFail: (Failure) -> Void = { _ in }
    private var programs: [CodecProgram] = []
    /// Why there are no programs any more, or `nil` as long as they run.
    private var loss: String?
    private var isTurnEndScheduled = false
    /// Set after the end of the connection, while messages wait.
    private var ending: Ending?

    /// The wait for the last messages of a connection.
    private struct Ending {
        /// The time limit for each answer of a program.
        let timeout: Duration
        let timer: Timer
        let continuation: () -> Void
    }

    /// Prepares the programs of a run. Returns `nil` if there are none.
    /// - Parameter commands: The programs of the codecs, in their order.
    package init?(_ commands: [ProgramCommand], limitBytes: Int, diagnostics: Diagnostics, on loop: EventLoop) {
        guard !commands.isEmpty else { return nil }
        self.commands = commands
        self.limitBytes = limitBytes
        self.diagnostics = diagnostics
        self.loop = loop
    }

    // MARK: Programs

    /// Starts the programs, unless they have been started. A failure is reported at the end of the turn.
    package func start() {
        guard programs.isEmpty, loss == nil else { return }
        do throws(IOError) {
            for command in commands { programs.append(try start(command, at: programs.count)) }
        } catch {
            let words = "running \(commands[programs.count].name): \(error)"
            loop.atEndOfTurn(DeferredWork { [self] in fail(because: words) })
        }
    }

    private func start(_ command: ProgramCommand, at index: Int) throws(IOError) -> CodecProgram {
        try CodecProgram(command, limitBytes: limitBytes, diagnostics: diagnostics, on: loop) { [unowned self] line in
            answered(line, by: index)
        } didEnd: { [unowned self] words in
            fail(because: "\(command.name) \(words)")
        }
    }

    /// Ends the programs, even if they ignore the request.
    package func kill() {
        for program in programs { program.kill() }
    }

    /// Gives up on the programs: passes on their messages as received.
    private func fail(because words: String) {
        guard loss == nil else { return }
        loss = words
        for program in programs { program.close() }
        pipeline()?.programsFailed(because: words)
        _ = passOn()
        didFail(.program("\(words) (--decode)"))
        endIfIdle()
    }

    // MARK: Messages

    /// Passes a message to a program.
    package func decode(_ payload: [UInt8], by program: Int) {
        if let loss {
            pipeline()?.programsFailed(because: loss)
            scheduleTurnEnd()
        } else if program < programs.count {
            programs[program].send(payload.span.bytes)
        }
    }

    /// Handles an answer of a program.
    /// - Returns: Whether another one is taken now.
    private func answered(_ line: RawSpan, by program: Int) -> Bool {
        let name = programs[program].name
        guard pipeline()?.answered(line, by: program, named: name) ?? false else {
            fail(because: "\(name) wrote a line that answers no message")
            return false
        }
        if let ending { ending.timer.start(after: ending.timeout, every: ending.timeout) }
        return passOnDecoded()
    }

    @discardableResult
    private func passOnDecoded() -> Bool {
        let takesMore = passOn()
        if !takesMore { for program in programs { program.pause() } }
        endIfIdle()
        return takesMore
    }

    /// Continues after the outputs have written their backlog.
    package func resume() {
        guard !isIdle else { return }
        for program in programs { program.resume() }
        scheduleTurnEnd()
    }

    private var isIdle: Bool { pipeline().map { $0.waitingCount == 0 } ?? true }

    private func scheduleTurnEnd() {
        guard !isTurnEndScheduled else { return }
        isTurnEndScheduled = true
        loop.atEndOfTurn(self)
    }

    // MARK: The end of a connection

    /// Waits until all messages of an ended connection have been passed on.
    /// - Parameter timeout: The time limit for each answer of a program.
    /// - Returns: Whether there are any. Then `continuation` is called later.
    package func delaysEnd(atMost timeout: Duration, continuation: @escaping () -> Void) -> Bool {
        guard !isIdle else { return false }
        let timer = Timer(on: loop) { [unowned self] in timedOut() }
        ending = Ending(timeout: timeout, timer: timer, continuation: continuation)
        timer.start(after: timeout, every: timeout)
        return true
    }

    private func timedOut() {
        // A slow output is not the program's fault.
        if passOnDecoded(), ending != nil {
            fail(because: "\(programs.first?.name ?? "the program") did not answer in time")
        }
    }

    /// Discards waiting messages, because the run ends.
    /// - Returns: Whether the end of a connection waited for them. Its continuation has been called.
    package func abandon() -> Bool {
        pipeline()?.discardWaiting()
        return endIfIdle()
    }

    @discardableResult
    private func endIfIdle() -> Bool {
        guard isIdle, let ending else { return false }
        self.ending = nil
        ending.continuation()
        return true
    }
}

extension DecodingPrograms: EndOfTurnWork {
    /// Passes on messages outside of the connection's handler.
    package func endTurn() {
        isTurnEndScheduled = false
        passOnDecoded()
    }
}
