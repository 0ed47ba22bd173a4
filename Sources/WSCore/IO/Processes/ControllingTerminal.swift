#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
import CLibuv

/// Asks on the terminal that the process belongs to, wherever its standard descriptors lead.
public enum ControllingTerminal {
    /// What became of a question.
    public enum Answer: Equatable, Sendable {
        /// What was typed before Enter, without it.
        case line([UInt8])
        /// The end of input (Ctrl-D).
        case end
        /// SIGINT: Ctrl-C.
        case interrupted
        /// SIGTERM, SIGHUP or SIGQUIT.
        case terminated
    }

    /// Shows a prompt and reads a line that is not shown; waits until it is there, or a signal.
    ///
    /// The terminal is as it was found when this returns, and while the process is stopped (Ctrl-Z); the prompt is
    /// shown again when it goes on. Signals that the process was started with ignored stay so. Not for use beside
    /// an event loop or a second thread. Throws ``IOError`` when there is no terminal.
    public static func readSecret(prompt: String, path: String = "/dev/tty") throws(IOError) -> Answer {
        let terminal = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { throw .last }
        defer { Descriptor.closeDescriptor(terminal) }
        var found = termios()
        guard tcgetattr(terminal, &found) == 0 else { throw .last }
        let signals = try PendingSignals()
        defer { signals.release() }
        var typed: [UInt8] = []
        while true {
            try hideInput(terminal, found: found)
            if let error = StandardDescriptors.writeAll(prompt, to: terminal) {
                restore(terminal, found, discardingInput: true)
                throw error
            }
            let event: Event
            do throws(IOError) {
                event = try nextEvent(terminal, signals, typed: &typed)
            } catch {
                restore(terminal, found, discardingInput: true)
                throw error
            }
            // What has been typed of a secret is not to end up in the shell.
            let isLine = event == .line || event == .end
            restore(terminal, found, discardingInput: !isLine)
            _ = StandardDescriptors.writeAll("\n", to: terminal)
            switch event {
            case .line: return .line(typed)
            case .end: return .end
            case .signal(SIGINT): return .interrupted
            case .signal(SIGTSTP): signals.stopProcess()
            case .signal(SIGCONT): break
            case .signal: return .terminated
            }
            typed = []
        }
    }

    private enum Event: Equatable {
        case line
        case end
        case signal(Int32)
    }

    /// Waits for a whole line or a signal.
    private static func nextEvent(
        _ terminal: Int32, _ signals: PendingSignals, typed: inout [UInt8]
    ) throws(IOError) -> Event {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
        defer { piece.deallocate() }
        while true {
            if let number = signals.wait(orReadable: terminal) { return .signal(number) }
            let count = try Descriptor.read(terminal, into: piece)
            guard count > 0 else { return .end }
            typed.append(contentsOf: piece[..<count])
            // Ctrl-D in the middle of a line hands over what there is without a line feed; the rest is to come.
            if let end = typed.firstIndex(of: UInt8(ascii: "\n")) {
                typed.removeSubrange(end...)
                return .line
            }
        }
    }

    /// Lines are edited by the terminal itself, and not shown. What was typed before the prompt is discarded: it was
    /// shown, and not meant for it.
    private static func hideInput(_ terminal: Int32, found: termios) throws(IOError) {
        var modes = found
        modes.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
        modes.c_lflag |= tcflag_t(ICANON | ISIG)
        modes.c_iflag |= tcflag_t(ICRNL)
        guard setModes(terminal, modes, TCSAFLUSH) else { throw .last }
    }

    private static func restore(_ terminal: Int32, _ found: termios, discardingInput: Bool) {
        _ = setModes(terminal, found, discardingInput ? TCSAFLUSH : TCSADRAIN)
    }

    private static func setModes(_ terminal: Int32, _ modes: termios, _ when: Int32) -> Bool {
        var modes = modes
        while tcsetattr(terminal, when, &modes) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }
}

/// Signals that are written to a pipe while it exists, so that one can wait for them and for a descriptor at once.
private struct PendingSignals {
    private static let handled = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT]
    private static let handler: @convention(c) (Int32) -> Void = { number in
        // Only what POSIX allows in a handler: no allocation, and errno as it was.
        let savedErrno = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(pendingSignalsDescriptor, &byte, 1)
        errno = savedErrno
    }

    private let readEnd: Int32
    private let writeEnd: Int32
    /// What the signals did before: all but those that were ignored.
    private var previous: [(number: Int32, action: sigaction)] = []

    init() throws(IOError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .last }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(writeEnd, F_SETFL, O_NONBLOCK)
        pendingSignalsDescriptor = writeEnd
        for number in Self.handled {
            var action = sigaction()
            guard sigaction(number, nil, &action) == 0 else { continue }
            let found = signal(number, Self.handler)
            if unsafeBitCast(found, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                _ = signal(number, SIG_IGN)
            } else {
                previous.append((number, action))
            }
        }
    }

    /// Gives the signals back to those who had them.
    func release() {
        giveBack(previous)
        pendingSignalsDescriptor = -1
        Descriptor.closeDescriptor(readEnd)
        Descriptor.closeDescriptor(writeEnd)
    }

    /// Has SIGTSTP do what it would have done without us; returns when the process goes on, which is then no news.
    func stopProcess() {
        let affected = previous.filter { $0.number == SIGTSTP || $0.number == SIGCONT }
        giveBack(affected)
        _ = raise(SIGTSTP)
        for (number, _) in affected { _ = signal(number, Self.handler) }
    }

    private func giveBack(_ signals: [(number: Int32, action: sigaction)]) {
        for (number, action) in signals {
            var action = action
            _ = sigaction(number, &action, nil)
        }
    }

    /// Waits until a descriptor can be read from, or is at its end (nil), or a signal has come.
    func wait(orReadable descriptor: Int32) -> Int32? {
        while true {
            var waiting = [
                pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waiting, 2, -1) > 0 else {
                if errno == EINTR { continue }
                return nil
            }
            guard waiting[0].revents != 0 else { return nil }
            var number: UInt8 = 0
            if read(readEnd, &number, 1) == 1 { return Int32(number) }
        }
    }
}

/// Where the handler writes; a global of a constant, which a handler can use at any time.
nonisolated(unsafe) private var pendingSignalsDescriptor: Int32 = -1

extension IOError {
    fileprivate static var last: IOError { IOError(code: uv_translate_sys_error(errno)) }
}
