import Formats
import UserInterface
import WSCore

/// A shell command of the user that gets messages on its standard input, a line each. Its output appears above the prompt.
///
///     message ──► standard input ── command ── standard output ──► diagnostics
///                                      └────── standard error ───► diagnostics
final class MessagePipe {
    /// The size of messages that a slow command has not read, in bytes, above which it gets no more.
    private static let backlogBytes = 16 << 20

    /// How long to wait for the output of descendants of a command that has exited.
    private static let lastReadingLimit = Duration.seconds(1)

    private let loop: EventLoop
    private let didEnd: (ChildProcess.Exit) -> Void
    private var process: PipedProcess?
    private var input: ProgramInput?
    private var outputs: [ProgramErrors] = []
    private lazy var endTimer = Timer(on: loop) { [unowned self] in end(isFinal: true) }
    private var hasEnded = false
    /// Who asked the command to exit.
    enum Request {
        case user
        /// The prompt, which does not report the exit.
        case prompt
    }
    private(set) var request: Request?
    /// The number of messages that the command did not get, because it is slow.
    private(set) var omittedCount = 0

    /// Starts the command.
    /// - Parameter didEnd: Called once, when the command has exited and its output has been shown.
    /// - Throws: ``IOError`` if it cannot be started.
    init(
        _ command: String, to diagnostics: Diagnostics, on loop: EventLoop,
        didEnd: @escaping (ChildProcess.Exit) -> Void
    ) throws(IOError) {
        self.loop = loop
        self.didEnd = didEnd
        let process = try PipedProcess(["sh", "-c", command], at: "/bin/sh", environment: nil, on: loop) {
            [weak self] _ in self?.exited()
        }
        self.process = process
        input = ProgramInput(process.input)
        outputs = [process.output, process.error].map { stream in
            ProgramErrors(stream, prefix: "", to: diagnostics, on: loop) { [weak self] in self?.end() }
        }
    }

    deinit {
        stop()
    }

    /// Passes a message to the command, unless it is too slow.
    func send(_ message: RawSpan) {
        guard let input, input.waitingBytes < Self.backlogBytes else {
            omittedCount += 1
            return
        }
        input.append(message, asLine: true)
    }

    /// Ends the command's input.
    func finish() {
        input?.finish()
    }

    /// Closes the command's input, and asks it and its descendants to exit. Keep this object until it has ended.
    func stop() {
        request = .prompt
        input?.close()
        if let process = process?.process, process.exit == nil { process.signalGroup(.terminate) }
    }

    /// Asks the command and its descendants to exit, and kills them if that was asked before.
    func interrupt() {
        guard let process = process?.process, process.exit == nil else { return }
        process.signalGroup(request == nil ? .terminate : .kill)
        request = request ?? .user
    }

    private func exited() {
        for output in outputs { output.takeRest(atMost: ProgramOutput.pipeBytes) }
        endTimer.start(after: Self.lastReadingLimit)
        end()
    }

    private func end(isFinal: Bool = false) {
        guard !hasEnded, let exit = process?.process.exit, isFinal || outputs.allSatisfy(\.isOver) else { return }
        hasEnded = true
        endTimer.stop()
        // The owner may release this object.
        loop.atEndOfTurn(DeferredWork { [self] in didEnd(exit) })
    }
}

/// The commands that `/pipe` and `/show N | COMMAND` have started at a prompt.
package final class PromptPipes {
    private let view: MessageView
    private let loop: EventLoop
    /// The commands that have not ended, by number.
    private var pipes: [Int: MessagePipe] = [:]
    private var startedCount = 0
    /// The command that gets received messages, or `nil` if there is none.
    private var current: (number: Int, command: String)?

    package init(of view: MessageView, on loop: EventLoop) {
        self.view = view
        self.loop = loop
    }

    /// Passes received messages to a shell command instead of showing them; nil: shows them again.
    package func pass(to command: String?) {
        if let command { return start(command) }
        guard current != nil else {
            return view.diagnostics.notice("/pipe COMMAND sends received messages to a command.")
        }
        stop()
        view.diagnostics.notice("Showing received messages again.")
    }

    /// Handles Ctrl-C and Ctrl-\ for the commands of `/show`. Returns false if there are none.
    package func interrupt() -> Bool {
        let shown = pipes.filter { $0.key != current?.number }.values
        for pipe in shown { pipe.interrupt() }
        return !shown.isEmpty
    }

    /// Ends all commands.
    package func close() {
        stop()
        for pipe in pipes.values { pipe.stop() }
    }

    private func start(_ command: String) {
        guard view.showsReceived else {
            return view.diagnostics.error("/pipe: received messages go to standard output, not to this terminal")
        }
        stop()
        guard let (number, pipe) = open(command, for: "/pipe") else { return }
        current = (number, command)
        view.pipe = { [unowned pipe] in pipe.send($0) }
        view.diagnostics.notice("Received messages go to '\(escapingControls(command))'; /pipe stops it.")
    }

    private func stop() {
        guard let (number, _) = current, let pipe = pipes[number] else { return }
        current = nil
        view.pipe = nil
        pipe.stop()
        guard pipe.omittedCount > 0 else { return }
        let messages = Phrase.count(pipe.omittedCount, "message")
        view.diagnostics.error("/pipe: the command was too slow for \(messages); /tail shows the latest")
    }

    /// Shows the output of a shell command that reads a message; nil: the last message.
    package func pass(message number: Int?, to command: String) {
        guard let entry = view.entry(number ?? view.log.lastNumber),
            let (_, pipe) = open(command, for: "/show")
        else { return }
        let payload = entry.payload
        pipe.send(payload.span.bytes)
        pipe.finish()
    }

    private func open(_ command: String, for name: String) -> (number: Int, pipe: MessagePipe)? {
        startedCount += 1
        let number = startedCount
        do throws(IOError) {
            let pipe = try MessagePipe(command, to: view.diagnostics, on: loop) { [weak self] exit in
                self?.ended(number, command, exit)
            }
            pipes[number] = pipe
            return (number, pipe)
        } catch {
            view.diagnostics.error("\(name): \(error)")
            return nil
        }
    }

    private func ended(_ number: Int, _ command: String, _ exit: ChildProcess.Exit) {
        let words = "'\(escapingControls(command))' \(exit.words)"
        if current?.number == number {
            stop()
            view.diagnostics.notice("\(words). Showing received messages again.")
        } else if exit != .status(0), pipes[number]?.request != .prompt {
            view.diagnostics.error("/show: \(words)")
        }
        pipes[number] = nil
    }
}
