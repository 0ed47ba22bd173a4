import CSystem
import Glibc

/// Calls a function on the loop's thread when a signal arrives, after all events that preceded the signal. Canceled on
/// release.
///
/// Watchers do not keep the loop running.
package final class SignalWatcher {
    /// The signals that the program handles.
    package enum Signal: Sendable {
        /// SIGINT: Ctrl-C.
        case interrupt
        /// SIGTERM.
        case terminate
        /// SIGHUP: the terminal has disconnected.
        case hangUp
        /// SIGQUIT: Ctrl-\.
        case quit
        /// SIGTSTP: Ctrl-Z.
        case suspend
        /// SIGCONT: the process continues after a stop.
        case resume
        /// SIGWINCH: the terminal's window has changed size.
        case resize
        /// SIGUSR1.
        case user1
        /// SIGUSR2.
        case user2

        var number: Int32 {
            switch self {
            case .interrupt: SIGINT
            case .terminate: SIGTERM
            case .hangUp: SIGHUP
            case .quit: SIGQUIT
            case .suspend: SIGTSTP
            case .resume: SIGCONT
            case .resize: SIGWINCH
            case .user1: SIGUSR1
            case .user2: SIGUSR2
            }
        }
    }

    /// Whether a process, and not only the kernel, such as for a terminal, has sent this signal since the last call.
    package static func takeOfProcess(_ signal: Signal) -> Bool { wsx_take_signal_of_process(signal.number) != 0 }

    private let loop: EventLoop
    private let number: Int32
    /// It belongs to ``watch``.
    private let descriptor: Int32
    private let action: () -> Void
    /// `nil` for an ignored signal.
    private var watch: DescriptorWatch?

    /// Stops the process as an unhandled SIGTSTP would. Returns when the process continues.
    package static func suspendProcess() {
        _ = raise(SIGSTOP)
    }

    /// Starts watching for a signal. If the process was started with the signal ignored, as by `nohup` or as a shell's
    /// background job, it stays ignored.
    /// - Throws: ``IOError`` if the system has no descriptor left.
    package init(_ signal: Signal, on loop: EventLoop, action: @escaping () -> Void) throws(IOError) {
        self.loop = loop
        number = signal.number
        self.action = action
        var current = sigaction()
        let isIgnored = sigaction(number, nil, &current) < 0 || Self.isIgnored(current)
        descriptor = isIgnored ? -1 : try IOError.check(wsx_open_event())
        guard !isIgnored else { return }
        watch = try DescriptorWatch(
            descriptor, for: [.readable, .edgeTriggered], on: loop, keepsLoopAlive: false
        ) { [weak self] in
            self?.loop.afterEarlierEvents { [weak self] in self?.action() }
        }
        _ = try IOError.check(wsx_watch_signal(number, descriptor))
    }

    deinit {
        guard let watch else { return }
        wsx_unwatch_signal(number, descriptor)
        watch.close()
    }

    private static func isIgnored(_ current: sigaction) -> Bool {
        let handler = current.__sigaction_handler.sa_handler
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
