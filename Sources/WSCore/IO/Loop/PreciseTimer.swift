import CLibuv

/// Calls a function at a given time: with nanosecond resolution on Linux, elsewhere up to a millisecond later, like
/// ``Timer``. Canceled on release.
public final class PreciseTimer {
    private let loop: EventLoop
    private let action: () -> Void
    private let source: Source

    private enum Source {
        /// A descriptor that becomes readable at the given time, and its poll handle.
        case descriptor(Int32, UnsafeMutablePointer<uv_poll_t>)
        case timer(Timer)
    }

    /// Creates a stopped timer.
    /// - Parameters:
    ///   - loop: The loop to run on. The timer keeps it running.
    ///   - action: The function to call.
    public init(on loop: EventLoop, action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
        let descriptor = wsx_open_precise_timer()
        let handle = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
        guard descriptor >= 0, uv_poll_init(loop.handle, handle, descriptor) == 0 else {
            if descriptor >= 0 { Descriptor.closeDescriptor(descriptor) }
            handle.deallocate()
            source = .timer(Timer(on: loop, action: action))
            return
        }
        source = .descriptor(descriptor, handle)
        handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        uv_poll_start(handle, Int32(UV_READABLE.rawValue)) { poll, _, _ in
            guard let data = poll?.pointee.data else { return }
            // Keeps the timer alive: the action may release it.
            let timer = Unmanaged<PreciseTimer>.fromOpaque(data).takeUnretainedValue()
            withExtendedLifetime(timer) { timer.fire() }
        }
    }

    deinit {
        guard case .descriptor(let descriptor, let handle) = source else { return }
        uv_poll_stop(handle)
        handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
            uv_close(handle) { $0?.deallocate() }
        }
        Descriptor.closeDescriptor(descriptor)
    }

    /// Schedules one call at `time`, in nanoseconds of the loop's clock. A time in the past means as soon as possible,
    /// still on the loop.
    public func start(at time: UInt64) {
        switch source {
        case .descriptor(let descriptor, _): wsx_set_precise_timer(descriptor, max(1, time))
        case .timer(let timer):
            let now = loop.nowNanoseconds
            timer.start(after: .nanoseconds(Int64(clamping: time > now ? time - now : 0)))
        }
    }

    /// Stops the timer.
    public func stop() {
        switch source {
        case .descriptor(let descriptor, _): wsx_set_precise_timer(descriptor, 0)
        case .timer(let timer): timer.stop()
        }
    }

    private func fire() {
        // Otherwise the descriptor stays readable and fires again and again.
        stop()
        action()
    }
}
