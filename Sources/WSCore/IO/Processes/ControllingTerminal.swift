import Glibc

/// The process's controlling terminal.
package enum ControllingTerminal {
    /// Whether the process may change a terminal's modes and read from it, because it is in the foreground, or the terminal
    /// is not its controlling one. The system stops a process that does so from the background, and again when it
    /// continues there, such as to be terminated.
    package static func mayUse(_ terminal: Int32) -> Bool {
        let group = tcgetpgrp(terminal)
        return group <= 0 || group == getpgrp()
    }

    /// Stops the process like a change of the terminal's modes from the background. Returns when the process continues; at
    /// once if a signal has requested its end (`wsx_watch_signal`).
    package static func stopInBackground() {
        _ = raise(SIGTTOU)
    }
}

// Questions on the terminal, regardless of the standard streams.
extension ControllingTerminal {
    /// The result of a question.
    package enum Answer: Equatable, Sendable {
        /// The line typed, without the newline.
        case line([UInt8])
        /// The end of the input: Ctrl-D.
        case end
        /// SIGINT: Ctrl-C.
        case interrupted
        /// SIGTERM, SIGHUP, or SIGQUIT.
        case terminated
    }

    /// Shows a prompt and reads a line without echo. Blocks until Enter or a signal.
    ///
    /// The terminal's modes are restored on return, and while the process is stopped (Ctrl-Z). The prompt is repeated
    /// when the process continues. Signals that were ignored at startup stay ignored. Not safe alongside an event loop
    /// or another thread.
    /// - Throws: ``IOError`` if there is no terminal.
    package static func readSecret(prompt: String, path: String = "/dev/tty") throws(IOError) -> Answer {
        let terminal = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { throw .last }
        defer { Descriptor.closeDescriptor(terminal) }
        var found = termios()
        guard tcgetattr(terminal, &found) == 0 else { throw .last }
        let signals = try PendingSignals()
        defer { signals.release() }
        var typed: [UInt8] = []
        while true {
            while !mayUse(terminal) {
                // A signal that came with the continuation comes before the next stop.
                while let number = signals.take() {
                    if ![SIGCONT, SIGTSTP].contains(number) { return number == SIGINT ? .interrupted : .terminated }
                }
                stopInBackground()
            }
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
            // A partially typed secret must not end up in the shell.
            let isLine = event == .line || event == .end
            restore(terminal, found, discardingInput: !isLine)
            if mayUse(terminal) { _ = StandardDescriptors.writeAll("\n", to: terminal) }
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

    /// Waits for a complete line or a signal.
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
            // Ctrl-D in the middle of a line returns the input so far without a newline. Keep reading.
            if let end = typed.firstIndex(of: UInt8(ascii: "\n")) {
                typed.removeSubrange(end...)
                return .line
            }
        }
    }

    /// Turns echo off and line editing on. Discards earlier input: it was echoed, and was not meant for this prompt.
    private static func hideInput(_ terminal: Int32, found: termios) throws(IOError) {
        var modes = found
        modes.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
        modes.c_lflag |= tcflag_t(ICANON | ISIG)
        modes.c_iflag |= tcflag_t(ICRNL)
        guard setModes(terminal, modes, TCSAFLUSH) else { throw .last }
    }

    private static func restore(_ terminal: Int32, _ found: termios, discardingInput: Bool) {
        guard mayUse(terminal) else { return }
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

/// Writes signals to a pipe, so poll() can wait for a signal and a descriptor together.
private struct PendingSignals {
    private static let handled = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT]
    private static let handler: @convention(c) (Int32) -> Void = { number in
        // Only async-signal-safe operations: no allocation, and errno is preserved.
        let savedErrno = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(pendingSignalsDescriptor, &byte, 1)
        errno = savedErrno
    }

    private let readEnd: Int32
    private let writeEnd: Int32
    /// The previous actions of all signals that were not ignored.
    private var previous: [(number: Int32, action: sigaction)] = []

    init() throws(IOError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .last }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
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

    /// Restores the previous signal actions.
    func release() {
        giveBack(previous)
        pendingSignalsDescriptor = -1
        Descriptor.closeDescriptor(readEnd)
        Descriptor.closeDescriptor(writeEnd)
    }

    /// Stops the process with SIGTSTP's previous action. Returns when the process continues; that SIGCONT is not
    /// reported.
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

    /// Waits for a signal and returns its number. Returns `nil` when the descriptor is readable or at its end.
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
            if let number = take() { return number }
        }
    }

    /// Returns a signal that has arrived, if any.
    func take() -> Int32? {
        var number: UInt8 = 0
        return read(readEnd, &number, 1) == 1 ? Int32(number) : nil
    }
}

/// The descriptor that the handler writes to. A global with a constant initializer is safe to use in a signal handler.
nonisolated(unsafe) private var pendingSignalsDescriptor: Int32 = -1
