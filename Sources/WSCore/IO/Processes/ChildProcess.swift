import CSystem
import Glibc

/// A child process that inherits three descriptors as its standard streams.
///
/// The loop runs as long as the child does. The child has no blocked signals, ignores none except, without a session of its
/// own, the signals of a terminal that this process ignores, has the limits with which this process was started, and no
/// other descriptors.
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
    /// A descriptor that becomes readable when the child exits. It belongs to ``watch``.
    private let descriptor: Int32
    /// `nil` after the child's status was taken. The system may then reuse its ID.
    private var watch: DescriptorWatch?
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
        identifier = try IOError.check(
            Self.start(words, at: path ?? words.first ?? "", environment, streams, leadsSession: leadsSession))
        self.loop = loop
        self.didExit = didExit
        descriptor = wsx_open_process(identifier)
        do throws(IOError) {
            try IOError.check(descriptor)
            watch = try DescriptorWatch(descriptor, for: .readable, on: loop) { [unowned self] in takeStatus() }
        } catch {
            _ = kill(identifier, SIGKILL)
            _ = Self.takeStatus(of: identifier)
            throw error
        }
    }

    deinit {
        watch?.close()
    }

    /// Sends SIGTERM to the child if it is still running.
    package func terminate() { send(.terminate) }

    /// Sends a signal to the child if it is still running.
    package func send(_ signal: SignalWatcher.Signal) {
        if watch != nil { _ = kill(identifier, signal.number) }
    }

    /// Whether the child gets the signals that a terminal sends to this process's group.
    package var sharesGroup: Bool { getpgid(identifier) == getpgrp() }

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
        guard watch != nil else { return }
        let deadline = loop.now + limit
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // Signals interrupt it.
        while poll(&request, 1, Int32(clamping: (deadline - loop.now).milliseconds)) < 0, loop.now < deadline {}
    }

    private func takeStatus() {
        watch?.close()
        watch = nil
        let exit = Self.takeStatus(of: identifier)
        loop.afterEarlierSignals { [weak self] in
            self?.exit = exit
            self?.didExit(exit)
        }
    }

    private static func takeStatus(of child: Int32) -> Exit {
        // If the system has lost the status, it is not that of a success.
        var status: Int32 = 0xFF00
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        // wait(2): the low seven bits are the signal, or 0.
        let signal = status & 0x7F
        return signal == 0 ? .status(Int(status >> 8) & 0xFF) : .signal(Int(signal))
    }

    private static func start(
        _ words: [String], at path: String, _ environment: [[UInt8]]?, _ streams: StandardStreams, leadsSession: Bool
    ) -> Int32 {
        withCStrings(words.map { Array($0.utf8) }) { words in
            withCStrings(environment ?? []) { variables in
                withUnsafePointer(to: DescriptorLimit.inherited ?? rlimit()) { limit in
                    wsx_start_program(
                        path, words, environment == nil ? nil : variables,
                        [streams.input, streams.output, streams.error], leadsSession ? 1 : 0,
                        DescriptorLimit.inherited == nil ? nil : limit)
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
}
