import CLibuv
import Glibc

/// A child process that inherits three descriptors as its standard streams.
///
/// The loop runs as long as the child does. libuv resets the child's signal dispositions, so signals ignored by this
/// process are not ignored by the child.
package final class ChildProcess {
    /// The result of a child process.
    package enum Exit: Equatable, Sendable {
        /// The child exited with a status.
        case status(Int)
        /// A signal killed the child.
        case signal(Int)
    }

    /// The descriptors that become the child's standard streams.
    package struct StandardStreams: Sendable {
        /// Standard input.
        package var input: Int32
        /// Standard output.
        package var output: Int32
        /// Standard error.
        package var error: Int32

        /// Defaults to this process's standard streams.
        package init(
            input: Int32 = StandardDescriptors.input, output: Int32 = StandardDescriptors.output,
            error: Int32 = StandardDescriptors.error
        ) {
            self.input = input
            self.output = output
            self.error = error
        }
    }

    /// The process ID.
    package let identifier: Int32

    private let loop: EventLoop
    private let handle: UnsafeMutablePointer<uv_process_t>
    private let didExit: (Exit) -> Void
    /// The child's result, or `nil` while it is running.
    package private(set) var exit: Exit?

    /// Starts a program.
    /// - Parameters:
    ///   - words: The program's name and arguments (argv).
    ///   - path: The path of the program. Defaults to nil: its name is searched for in PATH.
    ///   - environment: The environment, as `NAME=value` strings without NUL. Values can be any bytes. Defaults to nil:
    ///     the child inherits the environment.
    ///   - leadsSession: Whether the child starts a new session, and with it a new process group. Defaults to false.
    ///   - streams: The standard streams. Defaults to this process's.
    ///   - loop: The loop that reports the exit.
    ///   - didExit: Called once when the child has exited, after all events and signals that preceded its exit.
    /// - Throws: ``IOError`` if the program cannot be started.
    package init(
        _ words: [String], at path: String? = nil, environment: [[UInt8]]? = nil, leadsSession: Bool = false,
        streams: StandardStreams = StandardStreams(), on loop: EventLoop, didExit: @escaping (Exit) -> Void
    ) throws(IOError) {
        let handle = UnsafeMutablePointer<uv_process_t>.allocate(capacity: 1)
        var options = Self.options
        options.flags = leadsSession ? UV_PROCESS_DETACHED.rawValue : 0
        let result = Self.spawn(
            words, at: path ?? words.first ?? "", environment: environment, streams, &options, handle, on: loop)
        guard result == 0 else {
            // Not stored properties yet: deinit runs even if an initializer throws, once all properties are set.
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

    /// Sends SIGTERM to the child if it is still running.
    package func terminate() {
        // libuv has reaped a child whose handle is inactive. The system may reuse its ID.
        guard handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1, { uv_is_active($0) != 0 }) else { return }
        uv_process_kill(handle, SIGTERM)
    }

    /// A signal for a process group.
    package enum GroupSignal: Sendable {
        /// SIGTERM: a request to exit.
        case terminate
        /// SIGKILL: cannot be ignored.
        case kill

        fileprivate var number: Int32 { self == .terminate ? SIGTERM : SIGKILL }
    }

    /// Sends a signal to every process in the child's group. After the child has exited, call it only right after
    /// ``hasGroup`` returned true: the system may reuse the ID of a group that is gone.
    package func signalGroup(_ signal: GroupSignal) {
        _ = kill(-identifier, signal.number)
    }

    /// Whether the child's group still has a process: the child or one of its descendants.
    package var hasGroup: Bool {
        kill(-identifier, 0) == 0 || errno == EPERM
    }

    /// Blocks the thread, without running the loop, until the child has exited or `limit` has passed. For the end of a
    /// program that needs its terminal back before it continues.
    package func waitForExit(atMost limit: Duration) {
        guard exit == nil else { return }
        let deadline = loop.now + limit
        var status = siginfo_t()
        // WNOWAIT leaves the status for libuv.
        while waitid(P_PID, id_t(identifier), &status, WEXITED | WNOHANG | WNOWAIT) == 0, !Self.tellsExit(status),
            loop.now < deadline
        {
            usleep(5000)
        }
    }

    private static func tellsExit(_ status: siginfo_t) -> Bool {
        status.si_signo == SIGCHLD
    }

    private static var options: uv_process_options_t {
        var options = uv_process_options_t()
        options.exit_cb = { process, status, signal in
            guard let data = process?.pointee.data else { return }
            let child = Unmanaged<ChildProcess>.fromOpaque(data).takeUnretainedValue()
            let exit: Exit = signal == 0 ? .status(Int(status)) : .signal(Int(signal))
            child.loop.afterEarlierEvents { [weak child] in
                guard let child else { return }
                child.exit = exit
                child.didExit(exit)
            }
        }
        return options
    }

    private static func spawn(
        _ words: [String], at path: String, environment: [[UInt8]]?, _ streams: StandardStreams,
        _ options: inout uv_process_options_t, _ handle: UnsafeMutablePointer<uv_process_t>, on loop: EventLoop
    ) -> Int32 {
        var containers = [streams.input, streams.output, streams.error].map { descriptor in
            var container = uv_stdio_container_t()
            container.flags = UV_INHERIT_FD
            container.data.fd = descriptor
            return container
        }
        return withCStrings(words.map { Array($0.utf8) }) { words in
            withCStrings(environment ?? []) { variables in
                containers.withUnsafeMutableBufferPointer { containers in
                    options.args = words
                    if environment != nil { options.env = variables }
                    options.stdio = containers.baseAddress
                    options.stdio_count = Int32(containers.count)
                    return path.withCString { path in
                        options.file = path
                        return uv_spawn(loop.libuvLoop(), handle, &options)
                    }
                }
            }
        }
    }

    /// Passes the texts to `body` as a null-terminated array of C strings.
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
