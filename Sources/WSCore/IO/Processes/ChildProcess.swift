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

    /// How a program is started.
    public struct Launch: Sendable {
        /// Its name and its arguments, as it sees them.
        public var words: [String]
        /// Where it is; nil: its name is looked for in PATH.
        public var path: String?
        /// The variables of its environment, `NAME=value`, without NUL; nil: those of this process. Values need not be text.
        public var environment: [[UInt8]]?
        /// Whether it begins a session, and with it a group of processes, of its own.
        public var leadsSession: Bool

        /// In our session and with our environment, unless it is told otherwise.
        public init(
            _ words: [String], at path: String? = nil, environment: [[UInt8]]? = nil, leadsSession: Bool = false
        ) {
            self.words = words
            self.path = path
            self.environment = environment
            self.leadsSession = leadsSession
        }
    }

    /// Starts a program in our session and with our environment.
    /// - Parameters:
    ///   - words: Its name, which is looked for in PATH, and its arguments.
    ///   - streams: Its standard descriptors.
    ///   - loop: The loop that waits for it.
    ///   - didExit: Called once when it has ended.
    /// - Throws: ``IOError`` when it cannot be started.
    public convenience init(
        _ words: [String], streams: StandardStreams = StandardStreams(), on loop: EventLoop,
        didExit: @escaping (Exit) -> Void
    ) throws(IOError) {
        try self.init(Launch(words), streams: streams, on: loop, didExit: didExit)
    }

    /// Starts a program.
    /// - Parameters:
    ///   - launch: What it is, and how it is started.
    ///   - streams: Its standard descriptors.
    ///   - loop: The loop that waits for it.
    ///   - didExit: Called once when it has ended.
    /// - Throws: ``IOError`` when it cannot be started.
    public init(
        _ launch: Launch, streams: StandardStreams = StandardStreams(), on loop: EventLoop,
        didExit: @escaping (Exit) -> Void
    ) throws(IOError) {
        let handle = UnsafeMutablePointer<uv_process_t>.allocate(capacity: 1)
        let result = Self.spawn(launch, streams, handle, on: loop)
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

    /// A signal for a group of processes.
    public enum GroupSignal: Sendable {
        /// SIGTERM: a request to end.
        case terminate
        /// SIGKILL: the end.
        case kill

        fileprivate var number: Int32 { self == .terminate ? SIGTERM : SIGKILL }
    }

    /// Sends a signal to every process of the group that the child leads. Once the child has ended, only while
    /// ``hasGroup`` has just been true: the number of a group that is gone can become that of another.
    public func signalGroup(_ signal: GroupSignal) {
        _ = kill(-identifier, signal.number)
    }

    /// Whether there is a process in the group that the child leads, be it the child itself or one that it started.
    public var hasGroup: Bool {
        kill(-identifier, 0) == 0 || errno == EPERM
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
        _ launch: Launch, _ streams: StandardStreams, _ handle: UnsafeMutablePointer<uv_process_t>, on loop: EventLoop
    ) -> Int32 {
        var containers = [streams.input, streams.output, streams.error].map { descriptor in
            var container = uv_stdio_container_t()
            container.flags = UV_INHERIT_FD
            container.data.fd = descriptor
            return container
        }
        var options = uv_process_options_t()
        options.flags = launch.leadsSession ? UV_PROCESS_DETACHED.rawValue : 0
        options.exit_cb = { process, status, signal in
            guard let data = process?.pointee.data else { return }
            let child = Unmanaged<ChildProcess>.fromOpaque(data).takeUnretainedValue()
            let exit: Exit = signal == 0 ? .status(Int(status)) : .signal(Int(signal))
            withExtendedLifetime(child) {
                child.exit = exit
                child.didExit(exit)
            }
        }
        return withCStrings(launch.words.map { Array($0.utf8) }) { words in
            withCStrings(launch.environment ?? []) { environment in
                containers.withUnsafeMutableBufferPointer { containers in
                    options.args = words
                    if launch.environment != nil { options.env = environment }
                    options.stdio = containers.baseAddress
                    options.stdio_count = Int32(containers.count)
                    return (launch.path ?? launch.words.first ?? "").withCString { path in
                        options.file = path
                        return uv_spawn(loop.handle, handle, &options)
                    }
                }
            }
        }
    }

    /// Gives `body` texts as C has them: an array of pointers with a null one at its end.
    private static func withCStrings<R>(
        _ texts: [[UInt8]], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> R
    ) -> R {
        var pointers: [UnsafeMutablePointer<CChar>?] = texts.map { text in
            (text + [0]).withUnsafeBufferPointer { bytes in
                bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.flatMap { strdup($0) } }
            }
        }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress) }
    }

    private static func close(_ handle: UnsafeMutablePointer<uv_process_t>) {
        handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
            uv_close(handle) { $0?.deallocate() }
        }
    }
}
