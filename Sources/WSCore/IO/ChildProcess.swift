import CLibuv

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A program that runs as a child of this one, with descriptors of this process as its standard ones.
///
/// The loop runs on while the child does. Signals that this process ignores are not ignored there: libuv gives a child the
/// dispositions that processes begin with.
public final class ChildProcess {
    /// How a child ended.
    public enum Exit: Equatable, Sendable {
        /// It exited with a status.
        case status(Int)
        /// A signal ended it.
        case signal(Int)
    }

    /// What stands behind the three descriptors that the child begins with.
    public struct StandardStreams: Sendable {
        /// A descriptor of this process for what the child reads.
        public var input: Int32
        /// One for what it writes.
        public var output: Int32
        /// One for what it complains of.
        public var error: Int32

        /// Those of this process, unless others are named.
        public init(
            input: Int32 = StandardDescriptors.input, output: Int32 = StandardDescriptors.output,
            error: Int32 = StandardDescriptors.error
        ) {
            self.input = input
            self.output = output
            self.error = error
        }
    }

    /// The number by which the system knows the child.
    public let identifier: Int32

    private let loop: EventLoop
    private let handle: UnsafeMutablePointer<uv_process_t>
    private let didExit: (Exit) -> Void
    /// How the child ended; nil: it runs.
    public private(set) var exit: Exit?

    /// Starts a program.
    /// - Parameters:
    ///   - words: Its name, which is looked for in PATH, and its arguments.
    ///   - streams: Its standard descriptors.
    ///   - loop: The loop that waits for it.
    ///   - didExit: Called once when it has ended.
    /// - Throws: ``IOError`` when it cannot be started.
    public init(
        _ words: [String], streams: StandardStreams = StandardStreams(), on loop: EventLoop,
        didExit: @escaping (Exit) -> Void
    ) throws(IOError) {
        let handle = UnsafeMutablePointer<uv_process_t>.allocate(capacity: 1)
        let result = Self.spawn(words, streams, handle, on: loop)
        guard result == 0 else {
            // Not yet stored properties: deinit runs when an initialiser throws that has set them all.
            Self.close(handle)
            throw IOError(code: result)
        }
        self.handle = handle
        self.loop = loop
        self.didExit = didExit
        identifier = handle.pointee.pid
        handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        Self.close(handle)
    }

    /// Asks the child to end (SIGTERM), unless it has.
    public func terminate() {
        guard exit == nil else { return }
        uv_process_kill(handle, SIGTERM)
    }

    /// Waits, without turning the loop, until the child has ended, or some time has passed; for the end of a program
    /// that cannot go on before the terminal is its own again.
    public func waitForExit(atMost limit: Duration) {
        guard exit == nil else { return }
        let deadline = loop.now + limit
        var status = siginfo_t()
        // Without taking the status from libuv.
        while waitid(P_PID, id_t(identifier), &status, WEXITED | WNOHANG | WNOWAIT) == 0, !Self.tellsExit(status),
            loop.now < deadline
        {
            usleep(5000)
        }
    }

    private static func tellsExit(_ status: siginfo_t) -> Bool {
        status.si_signo == SIGCHLD
    }

    private static func spawn(
        _ words: [String], _ streams: StandardStreams, _ handle: UnsafeMutablePointer<uv_process_t>, on loop: EventLoop
    ) -> Int32 {
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var containers = [streams.input, streams.output, streams.error].map { descriptor in
            var container = uv_stdio_container_t()
            container.flags = UV_INHERIT_FD
            container.data.fd = descriptor
            return container
        }
        return arguments.withUnsafeMutableBufferPointer { arguments in
            containers.withUnsafeMutableBufferPointer { containers in
                var options = uv_process_options_t()
                options.file = arguments.first?.map { UnsafePointer($0) }
                options.args = arguments.baseAddress
                options.stdio = containers.baseAddress
                options.stdio_count = Int32(containers.count)
                options.exit_cb = { process, status, signal in
                    guard let data = process?.pointee.data else { return }
                    let child = Unmanaged<ChildProcess>.fromOpaque(data).takeUnretainedValue()
                    let exit: Exit = signal == 0 ? .status(Int(status)) : .signal(Int(signal))
                    withExtendedLifetime(child) {
                        child.exit = exit
                        child.didExit(exit)
                    }
                }
                return uv_spawn(loop.handle, handle, &options)
            }
        }
    }

    private static func close(_ handle: UnsafeMutablePointer<uv_process_t>) {
        handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
            uv_close(handle) { $0?.deallocate() }
        }
    }
}
