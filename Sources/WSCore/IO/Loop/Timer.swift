import CLibuv

/// Calls a function once after a delay, or repeatedly. Canceled on release.
package final class Timer {
    private let loop: EventLoop
    private let handle: UnsafeMutablePointer<uv_timer_t>
    private let action: () -> Void

    /// Creates a stopped timer.
    /// - Parameters:
    ///   - loop: The loop to run on.
    ///   - action: The function to call.
    package init(on loop: EventLoop, action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
        handle = .allocate(capacity: 1)
        uv_timer_init(loop.libuv, handle)
        handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        uv_timer_stop(handle)
        handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
            uv_close(handle) { $0?.deallocate() }
        }
    }

    /// Starts or restarts the timer.
    /// - Parameters:
    ///   - delay: The time until the first call, rounded up to milliseconds.
    ///   - interval: The time between further calls, or `nil` for a single call.
    package func start(after delay: Duration, every interval: Duration? = nil) {
        // The loop's cached time may be as old as the turn.
        uv_update_time(handle.pointee.loop)
        uv_timer_start(
            handle,
            { timer in
                guard let data = timer?.pointee.data else { return }
                // Keeps the timer alive: the action may release it.
                let timer = Unmanaged<Timer>.fromOpaque(data).takeUnretainedValue()
                withExtendedLifetime(timer) { timer.action() }
            }, delay.milliseconds, interval.map { max(1, $0.milliseconds) } ?? 0)
    }

    /// Whether a running timer keeps the loop running. Default: true.
    package var keepsLoopAlive = true {
        didSet {
            handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
                if keepsLoopAlive { uv_ref(handle) } else { uv_unref(handle) }
            }
        }
    }

    /// Stops the timer.
    package func stop() {
        uv_timer_stop(handle)
    }
}
