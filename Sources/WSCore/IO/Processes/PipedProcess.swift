import CSystem

/// A child process in its own session, connected by pipes to its standard streams.
///
/// Pipes rather than sockets: the system does not let a program open `/dev/stdout` if it is a socket.
package final class PipedProcess {
    /// The child process.
    package let process: ChildProcess
    /// Writes to the child's standard input.
    package let input: SystemStream
    /// Reads from the child's standard output.
    package let output: SystemStream
    /// Reads from the child's standard error.
    package let error: SystemStream

    /// Starts a program.
    /// - Parameters:
    ///   - words: The program's name and arguments (argv).
    ///   - path: The path of the program.
    ///   - environment: The environment, as `NAME=value` strings without NUL; nil: the child inherits the environment.
    ///   - loop: The loop that reports the exit.
    ///   - didExit: Called once when the child has exited. Its output may not have been read completely by then.
    /// - Throws: ``IOError`` if the program cannot be started or no descriptors are left for the pipes.
    package init(
        _ words: [String], at path: String, environment: [[UInt8]]?, on loop: EventLoop,
        didExit: @escaping (ChildProcess.Exit) -> Void
    ) throws(IOError) {
        var pipes = PipeEnds()
        do throws(IOError) {
            input = try pipes.open(on: loop, forWriting: true)
            output = try pipes.open(on: loop, forWriting: false)
            error = try pipes.open(on: loop, forWriting: false)
            process = try ChildProcess(
                words, at: path, environment: environment, leadsSession: true, streams: pipes.childStreams, on: loop,
                didExit: didExit)
            pipes.closeChildEnds()
        } catch {
            pipes.closeChildEnds()
            pipes.closeStreams()
            throw error
        }
    }
}

/// The pipes of a child that is being started.
private struct PipeEnds {
    private var childEnds: [Int32] = []
    private var streams: [SystemStream] = []

    /// The child's ends, in the order they were opened.
    var childStreams: ChildProcess.StandardStreams {
        ChildProcess.StandardStreams(input: childEnds[0], output: childEnds[1], error: childEnds[2])
    }

    /// Opens a pipe and returns our end. The child's end is blocking, as programs expect.
    mutating func open(on loop: EventLoop, forWriting: Bool) throws(IOError) -> SystemStream {
        var ends: [Int32] = [-1, -1]
        try IOError.check(wsx_open_pipe(&ends))
        childEnds.append(ends[forWriting ? 0 : 1])
        let stream = try SystemStream.open(descriptor: ends[forWriting ? 1 : 0], on: loop)
        streams.append(stream)
        return stream
    }

    func closeChildEnds() {
        for end in childEnds { Descriptor.closeDescriptor(end) }
    }

    func closeStreams() {
        for stream in streams { stream.close() }
    }
}

/// Pipes to a program that takes the place of the user: it reads what would go to standard output, and writes what
/// would come from standard input. The pipes can be used before the program starts.
package final class ProgramPipes {
    /// Writes to the program's standard input.
    package let toProgram: Int32
    /// Reads from the program's standard output.
    package let fromProgram: Int32
    /// Reads from the program's standard error.
    package let errors: SystemStream
    private let childStreams: ChildProcess.StandardStreams
    private var hasChildEnds = true
    private var isInputClosed = false

    /// Opens the pipes.
    /// - Throws: ``IOError`` if no descriptors are left.
    package init(on loop: EventLoop) throws(IOError) {
        var (input, output, error): ([Int32], [Int32], [Int32]) = ([-1, -1], [-1, -1], [-1, -1])
        do throws(IOError) {
            try IOError.check(wsx_open_pipe(&input))
            try IOError.check(wsx_open_pipe(&output))
            try IOError.check(wsx_open_pipe(&error))
            // Closed by `open` if that fails.
            let end = error[0]
            error[0] = -1
            errors = try SystemStream.open(descriptor: end, on: loop)
        } catch let failure {
            for end in input + output + error where end >= 0 { Descriptor.closeDescriptor(end) }
            throw failure
        }
        toProgram = input[1]
        fromProgram = output[0]
        childStreams = ChildProcess.StandardStreams(input: input[0], output: output[1], error: error[1])
    }

    deinit {
        closeInput()
        closeChildEnds()
        Descriptor.closeDescriptor(fromProgram)
    }

    /// Starts the program in its own session.
    /// - Parameter didExit: Called once when the program has exited.
    /// - Throws: ``IOError`` if the program cannot be started.
    package func start(
        _ words: [String], at path: String, environment: [[UInt8]], on loop: EventLoop,
        didExit: @escaping (ChildProcess.Exit) -> Void
    ) throws(IOError) -> ChildProcess {
        defer { closeChildEnds() }
        return try ChildProcess(
            words, at: path, environment: environment, leadsSession: true, streams: childStreams, on: loop,
            didExit: didExit)
    }

    /// Closes ``toProgram``, so the program reads the end of its input.
    package func closeInput() {
        guard !isInputClosed else { return }
        isInputClosed = true
        Descriptor.closeDescriptor(toProgram)
    }

    private func closeChildEnds() {
        guard hasChildEnds else { return }
        hasChildEnds = false
        for end in [childStreams.input, childStreams.output, childStreams.error] { Descriptor.closeDescriptor(end) }
    }
}
