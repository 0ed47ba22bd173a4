import CLibuv

/// Calls a function once after a time, or again and again. Cancelled when it is released.
public final class Timer {
    private let loop: EventLoop
    private let handle: UnsafeMutablePointer<uv_timer_t>
    private let action: () -> Void

    /// Makes a timer that is not running.
    /// - Parameters:
    ///   - loop: The loop it runs on.
    ///   - action: What it calls.
    public init(on loop: EventLoop, action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
        handle = .allocate(capacity: 1)
        uv_timer_init(loop.handle, handle)
        handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        uv_timer_stop(handle)
        handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
            uv_close(handle) { $0?.deallocate() }
        }
    }

    /// Starts the timer, or starts it again.
    /// - Parameters:
    ///   - delay: The time to the first call, to the millisecond, rounded up.
    ///   - interval: The time between further calls; nil: there are none.
    public func start(after delay: Duration, every interval: Duration? = nil) {
        // The loop's idea of now may be as old as its turn.
        uv_update_time(handle.pointee.loop)
        uv_timer_start(
            handle,
            { timer in
                guard let data = timer?.pointee.data else { return }
                // Kept alive: the action may release the timer.
                let timer = Unmanaged<Timer>.fromOpaque(data).takeUnretainedValue()
                withExtendedLifetime(timer) { timer.action() }
            }, delay.milliseconds, interval.map { max(1, $0.milliseconds) } ?? 0)
    }

    /// Whether the loop runs on for the timer's sake, as it does unless told otherwise.
    public var keepsLoopAlive = true {
        didSet {
            handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
                if keepsLoopAlive { uv_ref(handle) } else { uv_unref(handle) }
            }
        }
    }

    /// Stops the timer.
    public func stop() {
        uv_timer_stop(handle)
    }
}
