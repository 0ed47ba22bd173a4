import CLibuv

/// A child process in its own session, connected by pipes to its standard streams.
///
/// Pipes rather than sockets: the system does not let a program open `/dev/stdout` if it is a socket.
public final class PipedProcess {
    /// The child process.
    public let process: ChildProcess
    /// Writes to the child's standard input.
    public let input: SystemStream
    /// Reads from the child's standard output.
    public let output: SystemStream
    /// Reads from the child's standard error.
    public let error: SystemStream

    /// Starts a program.
    /// - Parameters:
    ///   - words: The program's name and arguments (argv).
    ///   - path: The path of the program.
    ///   - environment: The environment, as `NAME=value` strings without NUL.
    ///   - loop: The loop that reports the exit.
    ///   - didExit: Called once when the child has exited. Its output may not have been read completely by then.
    /// - Throws: ``IOError`` if the program cannot be started or no descriptors are left for the pipes.
    public init(
        _ words: [String], at path: String, environment: [[UInt8]], on loop: EventLoop,
        didExit: @escaping (ChildProcess.Exit) -> Void
    ) throws(IOError) {
        var pipes = PipeEnds()
        do throws(IOError) {
            input = try pipes.open(on: loop, forWriting: true)
            output = try pipes.open(on: loop, forWriting: false)
            error = try pipes.open(on: loop, forWriting: false)
            process = try ChildProcess(
                ChildProcess.Launch(words, at: path, environment: environment, leadsSession: true),
                streams: pipes.childStreams, on: loop, didExit: didExit)
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
        try IOError.check(uv_pipe(&ends, 0, 0))
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
