import CLibuv
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

        fileprivate var number: Int32 {
            switch self {
            case .interrupt: SIGINT
            case .terminate: SIGTERM
            case .hangUp: SIGHUP
            case .quit: SIGQUIT
            case .suspend: SIGTSTP
            case .resume: SIGCONT
            case .resize: SIGWINCH
            }
        }
    }

    private let loop: EventLoop
    private let handle: UnsafeMutablePointer<uv_signal_t>
    private let action: () -> Void

    /// Stops the process as an unhandled SIGTSTP would. Returns when the process continues.
    package static func suspendProcess() {
        _ = raise(SIGSTOP)
    }

    /// Starts watching for a signal. Returns `nil` if the process was started with the signal ignored, as by `nohup` or
    /// as a shell's background job. It then stays ignored.
    package init?(_ signal: Signal, on loop: EventLoop, action: @escaping () -> Void) {
        var current = sigaction()
        guard sigaction(signal.number, nil, &current) == 0, !Self.isIgnored(current) else { return nil }
        self.loop = loop
        self.action = action
        handle = .allocate(capacity: 1)
        uv_signal_init(loop.libuvLoop(), handle)
        handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        uv_signal_start(
            handle,
            { signal, _ in
                guard let data = signal?.pointee.data else { return }
                let watcher = Unmanaged<SignalWatcher>.fromOpaque(data).takeUnretainedValue()
                watcher.loop.afterEarlierEvents { [weak watcher] in watcher?.action() }
            }, signal.number)
        handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_unref($0) }
    }

    deinit {
        uv_signal_stop(handle)
        handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
            uv_close(handle) { $0?.deallocate() }
        }
    }

    private static func isIgnored(_ current: sigaction) -> Bool {
        let handler = current.__sigaction_handler.sa_handler
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
