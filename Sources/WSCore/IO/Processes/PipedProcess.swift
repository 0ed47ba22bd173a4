import CLibuv

/// A program that runs as a child of this one, in a session of its own, with pipes for its standard descriptors.
///
/// Pipes and not sockets: a program may open `/dev/stdout`, which the system refuses for a socket.
public final class PipedProcess {
    /// The child.
    public let process: ChildProcess
    /// What it reads is to be written here.
    public let input: SystemStream
    /// What it writes is to be read here.
    public let output: SystemStream
    /// What it complains of is to be read here.
    public let error: SystemStream

    /// Starts a program.
    /// - Parameters:
    ///   - words: Its name and its arguments, as it sees them.
    ///   - path: Where it is.
    ///   - environment: Its environment, `NAME=value`, without NUL.
    ///   - loop: The loop that waits for it.
    ///   - didExit: Called once when it has ended; there may still be something to be read.
    /// - Throws: ``IOError`` when there are no descriptors for the pipes, or it cannot be started.
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

/// The pipes of one child while it is started.
private struct PipeEnds {
    private var childEnds: [Int32] = []
    private var streams: [SystemStream] = []

    /// The child's ends, in the order in which they were opened.
    var childStreams: ChildProcess.StandardStreams {
        ChildProcess.StandardStreams(input: childEnds[0], output: childEnds[1], error: childEnds[2])
    }

    /// Opens a pipe and returns our end of it; the child's blocks, as programs expect.
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
