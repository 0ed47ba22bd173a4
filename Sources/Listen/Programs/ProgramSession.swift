import Peer
import UserInterface
import WSCore

/// The program of one client, from its start until its process group is gone.
///
///      client ── message ──► ProgramInput ──► standard input  ┐
///      client ◄── message ── ProgramOutput ◄── standard output │ program
///      diagnostics ◄── line ──── ProgramErrors ◄── standard error  ┘
final class ProgramSession {
    /// The stages of the program's life.
    enum Stage: Equatable {
        /// Running for its client.
        case running
        /// Its input is closed, and it has a grace period to exit.
        case inputClosed
        /// Its process group has received SIGTERM, and is killed at `killTime`.
        case terminating(killTime: Duration)
        /// Its process group has ended or been killed.
        case gone
    }

    /// The amount of unread input, in bytes, above which the client is paused.
    static let inputLimitBytes = 1 << 20
    /// How long to read a pipe after the end of the group, in case another process holds it open.
    static let lastReadingLimit = Duration.seconds(1)
    /// The maximum number of messages sent per program and turn. They take a few hundred microseconds; then others have
    /// their turn.
    static let turnMessages = 1024
    /// A program that reads nothing for this long while its client is paused counts as stuck.
    static let stuckTimeout = Duration.seconds(2)

    /// The progress of a program while its client is paused.
    struct Hold {
        /// The number of unread bytes when the program last read something.
        var untakenBytes: Int
        /// When the program last read something.
        var takingTime: Duration
    }

    /// The client's number.
    let number: Int
    unowned let pool: ProgramPool
    /// The events exchanged with the program, or `nil` if it gets the contents of messages.
    var events: ProgramEvents?
    /// The process and our ends of its pipes, or `nil` until it has started.
    private(set) var process: PipedProcess?
    private(set) var input: ProgramInput?
    private(set) var output: ProgramOutput?
    private(set) var errors: ProgramErrors?

    var stage = Stage.running
    /// Whether to discard the program's output, because the client has left or been closed. The output is still read,
    /// so SIGPIPE does not kill a program that is about to exit by itself.
    var isDiscarding = false
    /// The program's exit until it is reported and the client closed, and whether it exited before receiving a signal.
    var unreportedExit: (exit: ChildProcess.Exit, isByItself: Bool)?
    lazy var endTimer = Timer(on: pool.loop) { [unowned self] in endTimerFired() }

    var splitter: RecordSplitter
    var lineCount = 0
    var hasReportedBadLine = false
    /// Set while the client is paused for the program.
    var hold: Hold?

    /// Starts the program.
    /// - Parameters:
    ///   - environment: The environment as `NAME=value` strings without NUL.
    ///   - number: The client's number.
    ///   - pool: The pool the program belongs to.
    init(_ environment: [[UInt8]], client number: Int, in pool: ProgramPool) throws(IOError) {
        self.number = number
        self.pool = pool
        events = pool.arguments.programs.exchangesEvents ? ProgramEvents() : nil
        splitter = RecordSplitter(pool.kind == .text ? .lines : .chunks)
        let process = try PipedProcess(
            pool.command.words, at: pool.command.path, environment: environment, on: pool.loop
        ) { [unowned self] exit in exited(exit) }
        self.process = process
        input = ProgramInput(process.input)
        input?.didDrain = { [unowned self] in inputDidDrain() }
        output = ProgramOutput(process.output) { [unowned self] bytes in
            received(output: bytes)
        } finish: { [unowned self] in
            outputIsOver()
        }
        errors = ProgramErrors(process.error, prefix: "Client \(number) | ", to: diagnostics, on: pool.loop) {
            [unowned self] in reportEndIfOver()
        }
    }

    /// The client, or `nil` if it has left.
    var client: (any ServedClient)? { pool.run.broadcaster.clients[number] }

    var diagnostics: Diagnostics { pool.outputs.diagnostics }

    /// Whether messages are lines of text.
    var isText: Bool { pool.kind == .text }
}

/// Converts between events and the lines of a program with `--exec-json`.
final class ProgramEvents {
    private var clock = EventClock()
    private var decoder = InputDecoder(.json, as: .text)

    /// Writes an event to the program.
    func write(_ type: StaticString, to input: ProgramInput, _ addFields: (inout JSONEvent) -> Void) {
        clock.update()
        clock.text.withUnsafeBytes { input.append(type, time: $0.bytes, addFields) }
    }

    /// Decodes a line of the program. ``withPayload(_:)`` then provides its payload.
    /// - Returns: What the event asks for, or `nil` if it asks for nothing.
    func decode(_ line: RawSpan) throws(InputProblem) -> InputDecoder.Input? { try decoder.decode(line) }

    /// Passes the payload of the last decoded event to `body`.
    func withPayload(_ body: (RawSpan) -> Void) { decoder.withPayload(of: RawSpan(), body) }
}
