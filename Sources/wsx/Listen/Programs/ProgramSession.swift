import WSCore

/// The program of one client, from its start until nothing is left of it.
///
///      client ── message ──► ProgramInput ──► standard input  ┐
///      client ◄── message ── ProgramOutput ◄── standard output │ program
///      console ◄── line ──── ProgramErrors ◄── standard error  ┘
final class ProgramSession {
    /// How far the program's end has come.
    enum Stage: Equatable {
        /// It runs for its client.
        case running
        /// Its input is over, and it has time to end by itself.
        case leaving
        /// Its group has been asked to end, and is killed at a time.
        case terminating(killTime: Duration)
        /// Nothing is left of its group, or it has been killed.
        case gone
    }

    /// What a program leaves unread pauses its client beyond this, in bytes.
    static let inputLimitBytes = 1 << 20
    /// What can be in a pipe, in bytes: so much may come after the end of all that write to it.
    static let pipeBytes = 1 << 20
    /// How long a pipe is read after the end of the group, should somebody else have it.
    static let lastReadingLimit = Duration.seconds(1)
    /// So many messages of a program are sent in one turn of the loop: a few hundred microseconds' worth, and then others
    /// have their turn.
    static let turnMessages = 1024
    /// A program that has taken nothing for so long while its client has to wait for it is not expected to.
    static let takingPatience = Duration.seconds(2)

    /// A client that waits for its program.
    struct Hold {
        /// What the program had not taken when it was last seen to take something, in bytes.
        var untakenBytes: Int
        /// When that was.
        var takingTime: Duration
    }

    /// The client's number.
    let number: Int
    unowned let pool: ProgramPool
    /// Whether messages are lines of text.
    let isText: Bool
    /// The process and our ends of its pipes, once it has been started.
    private(set) var process: PipedProcess?
    private(set) var input: ProgramInput?
    private(set) var output: ProgramOutput?
    private(set) var errors: ProgramErrors?

    var stage = Stage.running
    /// Whether the client's end is our doing, or has come. What the program still writes is read and thrown away, so
    /// that SIGPIPE does not kill a program that is about to end by itself.
    var isDiscarding = false
    /// Whether it has ended before it was sent a signal.
    var endedByItself = false
    /// Whether the end has been told and the client closed.
    var hasReportedEnd = false
    lazy var endTimer = Timer(on: host.loop) { [unowned self] in endTimerFired() }

    var splitter: RecordSplitter
    var lineCount = 0
    var hasReportedBadLine = false
    /// Set while the client waits for the program.
    var hold: Hold?

    /// Starts the program.
    /// - Parameters:
    ///   - environment: Its environment, `NAME=value`, without NUL.
    ///   - number: The client's number.
    ///   - pool: The programs that it is one of.
    init(_ environment: [[UInt8]], client number: Int, in pool: ProgramPool) throws(IOError) {
        self.number = number
        self.pool = pool
        isText = pool.kind == .text
        splitter = RecordSplitter(isText ? .lines : .chunks)
        let process = try PipedProcess(
            pool.command.words, at: pool.command.path, environment: environment, on: pool.host.loop
        ) { [unowned self] _ in exited() }
        self.process = process
        input = ProgramInput(process.input)
        input?.didDrain = { [unowned self] in inputDidDrain() }
        output = ProgramOutput(process.output) { [unowned self] bytes in
            received(output: bytes)
        } finish: { [unowned self] in
            outputIsOver()
        }
        errors = ProgramErrors(process.error, prefix: "Client \(number) | ", to: pool.host.console, on: pool.host.loop)
        {
            [unowned self] in reportEndIfOver()
        }
    }

    /// The client; nil: it has left.
    var client: (any ServedClient)? { host.client(number) }

    /// The server.
    var host: any ProgramHost { pool.host }
}
