import Formats
import UserInterface
import WSCore

/// A program of `--decode exec:` or `--encode exec:`. It may still exit when its owner has replaced it. It gets each message as a line, and answers each with one line, in
/// the same order. Lines of binary messages are Base64, those of others are the text itself.
///
///     message ──► line ──► standard input ── program ── standard output ──► line
///                                                  └─── standard error ──► diagnostics
package final class CodecProgram {
    /// The maximum number of answers per turn of the loop.
    private static let turnAnswers = 1024
    /// How long to wait for the exit of a program that has closed its output, and for the output of one that has exited.
    private static let lastReadingLimit = Duration.seconds(1)

    /// The program's name, as it appears in messages.
    package let name: String
    private let limitBytes: Int
    private let sendsText: Bool
    private let loop: EventLoop
    /// Receives an answer, and returns whether another one may follow in this turn.
    private let receive: (RawSpan) -> Bool
    /// Called once with the reason for the end, in words to follow the program's name, unless ``close()`` comes first.
    private let didEnd: (String) -> Void
    private var process: PipedProcess?
    private var input: ProgramInput?
    private var output: ProgramOutput?
    private var errors: ProgramErrors?
    private var splitter = RecordSplitter(.lines)
    private var line = ByteBuffer()
    private var isOver = false
    private lazy var endTimer = Timer(on: loop) { [weak self] in self?.end() }

    /// Starts a program.
    /// - Parameters:
    ///   - sendsText: Whether the program gets messages as text. They have no line breaks.
    ///   - limitBytes: The maximum size of an answer.
    ///   - receive: Receives an answer, and returns whether another one may follow in this turn.
    ///   - didEnd: Called once with the reason for the end, in words to follow the program's name.
    /// - Throws: ``IOError`` if it cannot be started.
    package init(
        _ command: ProgramCommand, sendsText: Bool = false, limitBytes: Int, diagnostics: Diagnostics,
        on loop: EventLoop,
        receive: @escaping (RawSpan) -> Bool, didEnd: @escaping (String) -> Void
    ) throws(IOError) {
        name = command.name
        self.sendsText = sendsText
        self.limitBytes = limitBytes
        self.loop = loop
        self.receive = receive
        self.didEnd = didEnd
        let process = try PipedProcess(
            command.words, at: command.path, environment: command.environment.map { Array("\($0)=\($1)".utf8) },
            on: loop
        ) { [weak self] _ in self?.exited() }
        self.process = process
        input = ProgramInput(process.input)
        output = ProgramOutput(process.output) { [weak self] bytes in
            self?.received(output: bytes) ?? bytes.byteCount
        } finish: { [weak self] in
            self?.outputEnded()
        }
        errors = ProgramErrors(process.error, prefix: "\(name) | ", to: diagnostics, on: loop) {}
    }

    deinit {
        close()
    }

    /// Passes a message to the program.
    package func send(_ message: RawSpan) {
        if sendsText {
            input?.append(message, asLine: true)
            return
        }
        line.removeAll()
        Base64.append(message, to: &line)
        line.withReadableBytes { input?.append($0, asLine: true) }
        line.removeAll()
        line.releaseStorage(above: 64 << 10)
    }

    /// Whether nothing is left of it: it has exited, and its outputs have ended.
    package var isGone: Bool {
        process?.process.exit != nil && output?.isOver ?? true && errors?.isOver ?? true
    }

    /// Stops reading answers.
    package func pause() {
        output?.pause()
    }

    /// Resumes reading answers.
    package func resume() {
        output?.resume()
    }

    /// Closes the program's standard input, and asks it and its descendants to exit.
    package func close() {
        isOver = true
        input?.close()
        guard let process = process?.process, process.exit == nil else { return }
        process.signalGroup(.terminate)
    }

    /// Ends the program and its descendants, even if they ignore the request.
    package func kill() {
        close()
        guard let process = process?.process, process.exit == nil else { return }
        process.waitForExit(atMost: Self.lastReadingLimit)
        process.signalGroup(.kill)
    }

    private func received(output bytes: RawSpan) -> Int {
        guard !isOver else { return bytes.byteCount }
        var answersLeft = Self.turnAnswers
        var isTooLong = false
        let takenBytes = splitter.split(bytes) { line in
            isTooLong = line.byteCount > limitBytes
            guard !isTooLong else { return false }
            answersLeft -= 1
            return receive(line) && answersLeft > 0 && !isOver
        }
        if isTooLong || splitter.carriedBytes > limitBytes {
            end(because: "wrote a line of more than \(Phrase.count(limitBytes, "byte"))")
            return bytes.byteCount
        }
        return takenBytes
    }

    private func exited() {
        guard !isOver else { return }
        if output?.isOver ?? true { return end() }
        output?.takeRest(atMost: ProgramOutput.pipeBytes)
        endTimer.start(after: Self.lastReadingLimit)
    }

    private func outputEnded() {
        guard !isOver else { return }
        if process?.process.exit != nil { return end() }
        endTimer.start(after: Self.lastReadingLimit)
    }

    private func end() {
        end(because: process?.process.exit?.words ?? "closed its standard output")
    }

    private func end(because words: String) {
        guard !isOver else { return }
        close()
        endTimer.stop()
        errors?.takeRest(atMost: ProgramOutput.pipeBytes)
        didEnd(words)
    }
}
